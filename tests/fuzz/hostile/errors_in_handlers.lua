-- limit: a handler that fails is called for its own error, 200 times, and the stack of all that is unwound
local function handler(e) error(e) end
for _ = 1, 1000 do xpcall(error, handler, 1) end
