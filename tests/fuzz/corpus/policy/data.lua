return { api = 1, name = "d", version = "1", params = { n = { default = 2, min = 0, integer = true, doc = "" } },
  order = "area", descending = true, backfill = "easy", reservations = function(p) return p.n end, depth = 3 }
