-- limit: three dots are one instruction, also where they are two hundred values that fill a table
local function f(...)
  for _ = 1, 100000 do local _ = {...} end
end
f(table.unpack({}, 1, 200))
