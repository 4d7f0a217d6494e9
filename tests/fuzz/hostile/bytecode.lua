-- done
local f, message = load("\x1bLuaT\0\x19\x93\r\n\x1a\n")
assert(f == nil and message:find("attempt to load a binary chunk"))
assert(string.dump == nil)
assert(load("\x1bLua", "x", "b") == nil)
assert(not pcall(load, function() return nil end))
