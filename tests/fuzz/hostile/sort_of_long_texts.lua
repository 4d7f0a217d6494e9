-- limit: table.sort compares texts that differ in their last bytes
local t, start = {}, string.rep("k", 20000)
for i = 1, 100 do t[i] = start .. i end
for _ = 1, 50 do table.sort(t) end
