-- limit: the C library divides bit by bit, and these are two thousand
local large, small = 1e308, 3e-308
for _ = 1, 50000 do local _ = large % small, math.fmod(large, small) end
