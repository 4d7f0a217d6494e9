-- error: error object is a table value
local t = {}
error(setmetatable(t, {__tostring = function() error(t) end}))
