-- limit: catching an error does not look through its message of a megabyte
local text = string.rep("x", 1000000)
while true do pcall(error, text, 0) end
