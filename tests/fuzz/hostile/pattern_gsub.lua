-- limit
string.gsub(string.rep("a", 10000), ".-.-.-b", "x")
