-- done: chunks see the sandbox, however they are made
assert(load("return os, io, debug, package, collectgarbage, next, dofile, loadfile, loadstring, module")() == nil)
assert(load("return _G")() == _G)
assert(load("return x", "n", "t", {x = 5})() == 5)
for name in pairs(_G) do assert(name ~= "os" and name ~= "io" and name ~= "debug" and name ~= "package") end
