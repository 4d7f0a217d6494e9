-- done
assert(getmetatable("") == "string")
assert(not pcall(setmetatable, "", {}))
assert(not pcall(function() ("").x = 1 end))
assert(not pcall(function() getmetatable("").__index = {} end))
assert(not pcall(function() string.rep = nil end))
assert(("x"):rep(2) == "xx")
