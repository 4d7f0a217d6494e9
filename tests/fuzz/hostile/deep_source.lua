-- done
local ok = load("return " .. string.rep("(", 10000) .. "1" .. string.rep(")", 10000))
assert(not ok)
assert(not load(string.rep("{", 10000)))
