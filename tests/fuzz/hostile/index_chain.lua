-- limit: to look into a table is one instruction, however many tables stand behind it
local t = {}
for _ = 1, 1990 do t = setmetatable({}, { __index = t, __newindex = t }) end
for _ = 1, 1000000 do
  local _ = t.x
  t.x = nil
end
