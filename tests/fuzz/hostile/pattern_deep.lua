-- error: pattern too complex
string.find(string.rep("a", 1000), string.rep("a?", 1000))
