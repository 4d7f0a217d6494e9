-- Jobs of the first two programs go well beside one another; on half of a node each takes a third longer than alone.
return {
  api = 1,
  name = "mild",
  over_processors = function() return 1 end,
  over_cores = function() return 1.33 end,
  beside = function(job, other) return job.executable ~= other.executable and 1.08 or 1.9 end,
}
