-- limit: each coroutine stays below the step of the hook and starts a hundred more
local function grow()
  for _ = 1, 100 do pcall(coroutine.wrap(grow)) end
end
grow()
