-- limit: a hundred handlers wait for the error
local function nest(n)
  local x <close> = setmetatable({}, {__close = function() while true do end end})
  if n > 0 then nest(n - 1) end
  while true do end
end
nest(100)
