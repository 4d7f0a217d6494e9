-- limit: each level catches what the level below it raised
local function nest(n)
  if n == 0 then while true do end end
  pcall(nest, n - 1)
  while true do end
end
nest(100)
