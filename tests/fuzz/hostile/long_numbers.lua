-- limit: an instruction that reads a number of a million digits is more than one instruction
local digits = string.rep("0", 1000000)
for _ = 1, 100 do local _ = digits + 1 end
