-- done: library tables cannot be changed
for _, name in ipairs {"coroutine", "math", "string", "table", "utf8"} do
  local library = _G[name]
  assert(not pcall(function() library.mine = 1 end))
  assert(not pcall(function() library.sort = 1 end))
  assert(not pcall(rawset, library, "mine", 1))
  assert(not pcall(setmetatable, library, {}))
  assert(not pcall(table.insert, library, 1))
  assert(getmetatable(library) == "read-only")
  local n = 0
  for k, v in pairs(library) do
    n = n + 1
    assert(rawget(library, k) == v)
  end
  assert(n > 3)
  local _, state = pairs(library)
  assert(state == library)
end
