-- done
-- A `__mode` that comes after setmetatable, by every way to write: the table stays an ordinary one all the same.
local function churn()
  local kept = {}
  for i = 1, 15000 do kept[i % 100] = { "text " .. i } end
end

local writers = {
  function(m, mode) m.__mode = mode end,
  function(m, mode) m["__" .. "mode"] = mode end,
  function(m, mode) rawset(m, ("_"):rep(2) .. "mode", mode) end,
  function(m, mode) setmetatable(m, { __newindex = rawset }).__mode = mode end,
  function(m, mode) load("local m, mode = ... m.__mode = mode")(m, mode) end,
}
for _, mode in ipairs { "v", "k", "kv" } do
  for _, write in ipairs(writers) do
    local values, keys, m, own = {}, {}, {}, {}
    setmetatable(values, m)
    setmetatable(keys, m)
    setmetatable(own, own)
    for i = 1, 200 do
      values[i * 3], keys[{}], own[-i] = {}, i, {}
    end
    write(m, mode)
    write(own, mode)
    churn()
    local n, sum = 0, 0
    for i = 1, 200 do
      if values[i * 3] and own[-i] then n = n + 1 end
    end
    for _, i in pairs(setmetatable({ keys = keys }, nil)) do sum = sum + (i == keys and 1 or 0) end
    assert(n == 200 and sum == 1, mode)
    assert(rawget(m, "__mode") == mode and m.__mode == mode)
    assert(not pcall(setmetatable, {}, m))
  end
end
