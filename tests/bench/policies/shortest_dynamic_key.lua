-- The same order by a key asked at every pass for every waiting job.
return {
  api = 1, name = "shortest_dynamic_key", version = "1", backfill = "easy",
  dynamic_key = function(job) return job.estimate end,
}
