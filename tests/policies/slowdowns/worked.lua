-- Slowdowns of the worked examples, percent, in the jobs: executable 105 is SL_nos = 1.05, queue 130 SL_crs = 1.3 (none
-- where nothing is said), and `partition` says whose table `beside` looks in.
local function percent(number) return number > 0 and number / 100 or 1 end

-- Slowdown of the row's job by the column's; pairs that are not named bear each other badly.
local pairs_of = {
  [1] = { [2] = 1.1, [3] = 1.2 },
  [2] = { [1] = 1.1 },
  [3] = { [1] = 1.2 },
  [5] = { [6] = 1.1, [7] = 1.15 },
  [6] = { [5] = 1.05 },
  [7] = { [5] = 1.1 },
}

return {
  api = 1,
  name = "worked",
  over_processors = function(job) return percent(job.executable) end,
  over_cores = function(job) return percent(job.queue) end,
  beside = function(job, other) return pairs_of[job.partition] and pairs_of[job.partition][other.partition] or 2 end,
}
