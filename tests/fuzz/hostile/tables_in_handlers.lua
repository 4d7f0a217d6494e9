-- limit: a handler that fails with a table that holds the last one
local function handler(e)
  local t = {}
  for i = 1, 5 do t[i] = e end
  error(t)
end
for _ = 1, 500 do xpcall(error, handler, 1) end
