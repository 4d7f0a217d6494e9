-- memory: with more of it, this is a stack overflow
local function f() return 1 + f() end
f()
