-- limit: __index is a C function, no instruction is executed
table.concat(setmetatable({}, {__index = tostring}), "", 1, 1 << 40)
