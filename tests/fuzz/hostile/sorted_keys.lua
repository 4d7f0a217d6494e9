-- limit: pairs puts all keys in order, also for a loop that takes only the first
local t = {}
for i = 1, 20000 do t["k" .. i] = i end
for _ = 1, 10 do
  for _ in pairs(t) do break end
end
