-- limit, then again: a coroutine that the limit stopped must not run its handlers with the hook off
if not stopped then
  stopped = coroutine.create(function()
    local x <close> = setmetatable({}, {__close = function() while true do end end})
    while true do end
  end)
  coroutine.resume(stopped)
end
assert(coroutine.status(stopped) == "dead")
assert(not coroutine.resume(stopped))
local ok, message = pcall(coroutine.close, stopped)
assert(not ok and message:find("a limit stopped"))
while true do end
