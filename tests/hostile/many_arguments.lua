-- limit: three dots are one instruction, and a hundred thousand values
local function f(...)
  for _ = 1, 1000 do select("#", ...) end
end
f(table.unpack({}, 1, 100000))
