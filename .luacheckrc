-- luacheck: Lua 5.4 as the sandbox offers it, and what coslice adds.
stds.coslice = { read_globals = { table = { fields = { "keys", "copy" } }, math = { fields = { "clamp", "round" } } } }
std = "lua54+coslice"
max_line_length = 120
codes = true
self = false

-- What the sandbox takes away.
not_globals = { "next", "collectgarbage", "dofile", "loadfile", "io", "os", "debug", "package" }
read_globals = {
  "coslice", "random",
  math = { fields = { "clamp", "pow", "round" } },
  table = { fields = { "copy", "is_empty", "keys" } },
}

files["**/*_test.lua"] = {
  read_globals = {
    "describe", "it", "pending", "property", "before_each", "after_each",
    "expect", "simulate", "job", "skip", "random",
  },
}
-- Definitions for the language server: their functions have no bodies.
files["lua/meta/*.lua"] = { ignore = { "111", "112", "121", "122", "131", "211", "212", "213", "241", "631" } }
-- The Lua half of the host runs outside the sandbox.
files["lua/lib/*.lua"] = { globals = { "coslice" }, not_globals = {}, ignore = { "122", "142", "212" } }
-- Hostile scripts and fuzzers' seeds are odd on purpose; the template of a suite is one.
exclude_files = { "build/", "tests/fuzz/" }
files["lua/lib/templates/suite.lua"] = files["**/*_test.lua"]
