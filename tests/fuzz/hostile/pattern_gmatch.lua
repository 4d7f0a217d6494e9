-- limit
for _ in string.gmatch(string.rep("a", 10000), ".*.*.*b") do end
