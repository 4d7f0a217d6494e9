-- limit
string.gsub("x", "x", function() while true do end end)
