-- limit: pairs compares keys that differ in their last bytes
local t, start = {}, string.rep("k", 2000)
for i = 1, 1000 do t[start .. i] = i end
for _ = 1, 40 do
  for _ in pairs(t) do break end
end
