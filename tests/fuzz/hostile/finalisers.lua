-- done
assert(not pcall(setmetatable, {}, {__gc = function() end}))
assert(not pcall(setmetatable, {}, {__gc = true}))
assert(not pcall(setmetatable, {}, {__mode = "k"}))
