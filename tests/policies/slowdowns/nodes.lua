-- Slowdowns written into the jobs of a suite: a job with executable 110 makes those beside it 1.1 times slower. Jobs of
-- one group that is not -1 bear each other badly.
return {
  api = 1,
  name = "nodes",
  beside = function(job, other)
    if job.group > 0 and job.group == other.group then return 3 end
    return other.executable > 0 and other.executable / 100 or 1
  end,
}
