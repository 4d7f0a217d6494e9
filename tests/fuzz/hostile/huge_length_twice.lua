-- limit: a length that changes when it is asked again
local n = 0
local t = setmetatable({}, {__len = function() n = n + 1 return n == 1 and 1 or 1 << 50 end})
table.insert(t, 1, 1)
table.remove(t, 1)
