-- limit: catching overflows of the stack, which costs milliseconds each
local function f() pcall(f) f() end
f()
