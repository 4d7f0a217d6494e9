-- limit: to call a table is one instruction, however often what is called is a table again
local meta = {}
local t = setmetatable({}, meta)
meta.__call = t
pcall(t)
