-- limit: what takes a number takes a text of a million digits
local digits = string.rep("0", 1000000)
for _ = 1, 100 do tonumber(digits) math.floor(digits) end
