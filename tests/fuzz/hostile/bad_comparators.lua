-- done: what a comparison answers cannot lead out of the list
local t = {}
for i = 1, 1000 do t[i] = i end
local flip = false
table.sort(t, function() flip = not flip return flip end)
table.sort(t, function() return true end)
table.sort(t, function() return false end)
assert(not pcall(table.sort, {1, "x", {}}))
assert(not pcall(table.sort, t, function(a, b) error("stop") end))
table.sort(t)
for i = 1, 1000 do assert(t[i] == i) end
