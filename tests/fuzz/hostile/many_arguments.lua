-- limit: three dots are one instruction, and twenty thousand values
local function f(...)
  for _ = 1, 5000 do select("#", ...) end
end
f(table.unpack({}, 1, 20000))
