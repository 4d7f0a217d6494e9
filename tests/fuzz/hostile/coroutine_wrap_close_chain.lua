-- done: the same through the variables that a failing wrapped coroutine leaves
local function nest(n)
  local x <close> = setmetatable({}, {__close = function() if n > 0 then pcall(coroutine.wrap(nest), n - 1) end end})
  error("x")
end
pcall(coroutine.wrap(nest), 1000)
