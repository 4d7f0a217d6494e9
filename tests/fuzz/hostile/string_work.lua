-- limit: an instruction that copies a megabyte is more than one instruction
local s = string.rep("x", 200000)
while true do local t = s .. "y" end
