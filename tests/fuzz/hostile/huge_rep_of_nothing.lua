-- done: nothing repeated for ever is nothing
assert(string.rep("", math.maxinteger) == "")
assert(string.rep("", 1 << 40, "") == "")
assert(not pcall(string.rep, "", 1 << 40, "x"))
