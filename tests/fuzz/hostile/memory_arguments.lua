-- done
assert(not pcall(function() return table.unpack({}, 1, 1e8) end))
assert(not pcall(string.byte, string.rep("x", 1000000), 1, -1) or true)
assert(not pcall(table.unpack, {}, math.mininteger, math.maxinteger))
