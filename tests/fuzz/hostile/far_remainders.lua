-- limit before glibc 2.38: the C library divides bit by bit, and these are two thousand; then it takes a few steps
local large, small = 1e308, 3e-308
for _ = 1, 50000 do local _ = large % small, math.fmod(large, small) end
