-- Shortest estimate first, by the engine's own order: what the other two are compared with.
return { api = 1, name = "shortest_built_in", version = "1", order = "duration", backfill = "easy" }
