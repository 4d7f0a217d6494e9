-- limit
while true do end
