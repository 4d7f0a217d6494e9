-- done
assert(not coroutine.resume(coroutine.running()))
local co
co = coroutine.create(function() return coroutine.resume(co) end)
local _, ok = coroutine.resume(co)
assert(ok == false)
local w
w = coroutine.wrap(function() return pcall(w) end)
assert(w() == false)
assert(not pcall(coroutine.close, coroutine.running()))
local outer
outer = coroutine.create(function()
  return coroutine.wrap(function() return pcall(coroutine.close, outer) end)()
end)
assert(select(2, coroutine.resume(outer)) == false)
