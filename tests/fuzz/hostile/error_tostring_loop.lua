-- limit: the error object is made text after the script has failed
error(setmetatable({}, {__tostring = function() while true do end end}))
