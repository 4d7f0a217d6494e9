-- limit: Lua runs handlers with hooks off when the hook raised the error
while true do
  xpcall(function() while true do end end, function() while true do end end)
end
