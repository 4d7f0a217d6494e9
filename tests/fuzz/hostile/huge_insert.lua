-- limit: a length that is not there
table.insert(setmetatable({}, {__len = function() return 1 << 50 end}), 1, 1)
