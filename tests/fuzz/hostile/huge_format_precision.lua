-- error: invalid conversion
string.format("%.99999999f", 1.0)
