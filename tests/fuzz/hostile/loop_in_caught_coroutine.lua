-- limit
while true do
  coroutine.resume(coroutine.create(function() pcall(function() while true do end end) end))
end
