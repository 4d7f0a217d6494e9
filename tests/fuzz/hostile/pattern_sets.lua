-- limit: a long set is looked through for each character
string.find(string.rep("a", 100000), "[" .. string.rep("b", 100000) .. "]")
