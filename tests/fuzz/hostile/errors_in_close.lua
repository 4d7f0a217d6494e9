-- limit: each error of a __close is raised anew
local bad = setmetatable({}, {__close = function() error() end})
local function f()
  local a <close> = bad
  local d <close> = bad
  local e <close> = bad
  local g <close> = bad
  local h <close> = bad
  error({ a, d, e, g, h })
end
for _ = 1, 4000 do pcall(f) end
