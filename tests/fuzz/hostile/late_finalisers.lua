-- done
-- A `__gc` that comes after setmetatable never runs, whichever way it comes.
local ran = 0
local function count() ran = ran + 1 end
for i = 1, 300 do
  local m = {}
  local t = setmetatable({ i }, m)
  m.__gc = count
  rawset(m, "__" .. "gc", count)
  assert(not pcall(setmetatable, t, m))
  setmetatable({}, { __index = m, __gc2 = count })
end
local kept = {}
for i = 1, 60000 do kept[i % 50] = { i .. "" } end
assert(ran == 0)
