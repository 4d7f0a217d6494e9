-- error: '__index' chain too long
local t = {}
for _ = 1, 3000 do t = setmetatable({}, {__index = t}) end
return t.x
