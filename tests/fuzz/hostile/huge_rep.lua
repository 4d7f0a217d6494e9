-- error: resulting string too large
string.rep("x", 1 << 40)
