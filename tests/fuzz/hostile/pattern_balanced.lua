-- limit
while true do string.find(string.rep("(", 10000), "%b()") end
