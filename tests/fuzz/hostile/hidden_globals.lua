-- done
for _, name in ipairs {"os", "io", "debug", "package", "collectgarbage", "next", "dofile", "loadfile", "loadstring",
                       "module", "setfenv", "getfenv", "warn"} do
  assert(_G[name] == nil, name)
end
assert(string.dump == nil and string.pack == nil)
