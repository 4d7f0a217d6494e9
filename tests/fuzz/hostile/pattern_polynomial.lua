-- limit
pcall(string.match, string.rep("a", 10000), ".-.-.-.-b")
