-- limit: reading a million digits of any base is more than one call
local digits = string.rep(" ", 1000000)
for _ = 1, 1000 do tonumber(digits, 36) end
