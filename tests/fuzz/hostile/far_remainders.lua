-- limit or done: a C library that divides bit by bit has two thousand of them; newer ones take a few steps
local large, small = 1e308, 3e-308
for _ = 1, 50000 do local _ = large % small, math.fmod(large, small) end
