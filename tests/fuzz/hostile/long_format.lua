-- limit: a number of 400 digits costs more than the six characters that ask for it
for _ = 1, 10000 do string.format("%99.99f", 1e308) end
