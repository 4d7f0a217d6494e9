-- memory or limit
local all = {}
while true do all[#all + 1] = coroutine.create(function() end) end
