-- limit: reading a number that is next to nothing takes hundreds of digits
local decimal = "1." .. string.rep("3", 180) .. "e-307"
local binary = "0x" .. string.rep("f", 190) .. "p-1000"
for _ = 1, 100000 do local _ = decimal + 0, binary * 1 end
