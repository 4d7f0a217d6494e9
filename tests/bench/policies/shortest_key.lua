-- The same order by a key asked at submission.
return {
  api = 1, name = "shortest_key", version = "1", backfill = "easy",
  key = function(job) return job.estimate end,
}
