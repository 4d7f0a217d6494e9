-- limit: a pcall that is tried again and again
while true do pcall(function() while true do end end) end
