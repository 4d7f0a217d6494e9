-- limit: a handler that hands on something else than that the stack has overflowed
local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end})
for _ = 1, 100 do xpcall(function() return t[1] end, function() return "" end) end
