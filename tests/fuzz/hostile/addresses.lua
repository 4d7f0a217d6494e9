-- done: no address anywhere
local function clean(s) return not tostring(s):find("0x") end
local co = coroutine.create(function() end)
for _, x in ipairs {{}, print, function() end, co, math} do
  assert(clean(tostring(x)))
  assert(clean(string.format("%s", x)))
  assert(clean(select(2, pcall(error, x))))
  assert(not pcall(string.format, "%p", x))
  assert(not pcall(string.format, "%20p", x))
end
assert(tostring(setmetatable({}, {__name = "thing"})) == "thing")
assert(not pcall(string.format, "%p", "x"))
assert(not pcall(string.format, "%"))
assert(not pcall(string.format, "%d"))
assert(clean(select(2, pcall(function() return {} .. "x" end))))
assert(clean(select(2, pcall(function() return {} + 1 end))))
assert(clean(select(2, pcall(function() return {} < {} end))))
assert(clean(select(2, pcall(ipairs))))
