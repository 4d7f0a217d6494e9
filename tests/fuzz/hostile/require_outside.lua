-- done: there are no roots here at all
for _, name in ipairs {"../x", "/etc/passwd", "x/../y", "x\0y", "..", ".", "", "a..b", "C:x", "x.", ".x", "io", "os"} do
  assert(not pcall(require, name))
end
assert(package == nil)
