-- Slowdowns written into the jobs of a suite, percent: executable 120 is SL_nos = 1.2, queue 130 SL_crs = 1.3, and
-- beside a job with partition 110 others get slower by 1.1, where they have other processors by
-- 1.05 if its user is 105. Jobs of one group that is not -1 bear each other badly.
local function percent(number) return number > 0 and number / 100 or 1 end

return {
  api = 1,
  name = "by hand",
  over_processors = function(job) return percent(job.executable) end,
  over_cores = function(job) return percent(job.queue) end,
  beside = function(job, other)
    if job.group > 0 and job.group == other.group then return 3 end
    return percent(other.partition)
  end,
  beside_apart = function(_, other) return percent(other.user) end,
}
