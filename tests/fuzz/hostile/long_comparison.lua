-- limit: to compare two texts is one instruction, however long they are equal
local same = string.rep("a", 200000)
local a, b = same .. "1", same .. "2"
for _ = 1, 2000 do local _ = a < b end
