-- memory: a string may not grow without end either
local s = "x"
while true do s = s .. s end
