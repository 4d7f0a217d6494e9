-- done: closing one coroutine closes the next; Lua 5.4.4 does not count that against the C stack
local before
for _ = 1, 1000 do
  local inner = before
  local co = coroutine.create(function()
    local x <close> = setmetatable({}, {__close = function() if inner then assert(coroutine.close(inner)) end end})
    coroutine.yield()
  end)
  coroutine.resume(co)
  before = co
end
local ok, message = coroutine.close(before)
assert(not ok and message:find("too many nested calls of coroutine.close"))
