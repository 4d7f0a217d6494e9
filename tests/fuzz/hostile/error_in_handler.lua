-- done: a handler that fails again and again ends in an error, not in a crash
local ok = xpcall(error, function(e) error(e) end)
assert(not ok)
