-- limit: a table has room for all that it once held, and looking for its next key goes through all of it
local t, list = {}, {}
for i = 1, 20000 do t["k" .. i], list[i] = i, i end
for i = 1, 20000 do
  if i ~= 77 then t["k" .. i] = nil end
  if i > 3 then list[i] = nil end
end
for k, v in pairs(t) do assert(k == "k77" and v == 77) end
for i, v in pairs(list) do assert(i <= 3 and v == i) end
assert(t.k77 == 77 and #list == 3 and list[3] == 3 and list[4] == nil)
for i = 1, 300 do t[i], list[i] = i, -i end
assert(#t == 300 and #list == 300 and t.k77 == 77 and list[300] == -300)
for i = 1, 300 do t[i] = nil end
t.k77 = nil
while table.is_empty(t) do for _ in pairs(t) do error("a key") end end
