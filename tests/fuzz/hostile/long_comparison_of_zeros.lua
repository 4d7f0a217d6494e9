-- limit: Lua compares texts from one zero byte to the next
local same = string.rep("\0", 100000)
local a, b = same .. "1", same .. "2"
for _ = 1, 100 do local _ = a < b end
