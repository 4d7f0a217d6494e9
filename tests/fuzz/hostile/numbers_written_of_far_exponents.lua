-- limit: so does writing one
local small, large = 1.2e-300, 1e307
for _ = 1, 80000 do local _ = small .. "", tostring(large) end
