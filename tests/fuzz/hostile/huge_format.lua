-- error: invalid conversion
string.format("%99999999d", 1)
