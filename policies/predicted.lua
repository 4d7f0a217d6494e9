local sjbf = require("easy_sjbf")
local ran -- by user: the last run times, latest first

---@type coslice.Policy
return {
  api = 1,
  name = "predicted",
  version = "1",
  description = "EASY++: EASY with predicted run times, the mean of the user's last two, corrected when a job outruns "
    .. "them, and shortest-first backfilling (Tsafrir, Etsion & Feitelson 2007). Jobs are killed at their limits only.",
  params = {
    window = { default = 2, min = 1, integer = true,
      doc = "Last run times of a user that a prediction is the mean of." },
    shortest_first = { default = true,
      doc = "Backfill the shortest prediction first (EASY++), else in order (EASY+)." },
  },

  begin = function() ran = {} end,
  estimate = function(job, params)
    local times = ran[job.user]
    if job.user < 0 or not times or #times < params.window then return nil end -- the limit
    local sum = 0
    for i = 1, params.window do sum = sum + times[i] end
    return sum / params.window
  end,
  ended = function(_, job, params)
    local times = ran[job.user] or {}
    table.insert(times, 1, job.finish - job.start)
    times[params.window + 1] = nil
    ran[job.user] = times
  end,

  schedule = function(view, params)
    if params.shortest_first then sjbf.schedule(view) else view:easy() end
  end,
  claims = { "never-idle" },
}
