-- done
-- pairs orders its keys while memory is tight: whatever it holds of a table must be what the table held.
local m = {}
local t = setmetatable({}, m)
m.__mode = "v"
for round = 1, 12 do
  for i = 1, 400 do
    t[i * 3] = {}
    t["key " .. round .. " " .. i] = {}
  end
  local room = {}
  for i = 1, 300 do room[i] = ("x"):rep(24) .. i end
  for k, v in pairs(t) do
    assert(type(k) == "number" and k % 3 == 0 or k:sub(1, 4) == "key ", k)
    assert(type(v) == "table" and rawget(t, k) == v)
  end
  for i = 1, 400 do t["key " .. round .. " " .. i] = nil end
end
