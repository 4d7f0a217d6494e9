-- EASY with a limit on what each user may hold at a time, as most sites have it.
local nodes, jobs = {}, {}

local function count(user, job, by)
  nodes[user] = (nodes[user] or 0) + by * job.nodes
  jobs[user] = (jobs[user] or 0) + by
end

return {
  api = 1,
  name = "user_limits",
  version = "1",
  description = "EASY backfilling, in which a user's running jobs hold at most so many nodes. Jobs above the limit are "
    .. "passed over; one that alone is larger runs when its user runs nothing else. Unknown users are not limited.",
  params = {
    max_nodes = { default = 32, min = 0, integer = true, doc = "Nodes that a user may hold at a time; 0: any number." },
    max_jobs = { default = 0, min = 0, integer = true, doc = "Jobs that a user may run at a time; 0: any number." },
  },

  started = function(_, job) count(job.user, job, 1) end,
  ended = function(_, job) count(job.user, job, -1) end,

  may_start = function(job, _, params)
    local held, running = nodes[job.user] or 0, jobs[job.user] or 0
    if job.user < 0 or running == 0 then return true end
    if params.max_jobs > 0 and running >= params.max_jobs then return false end
    return params.max_nodes == 0 or held + job.nodes <= params.max_nodes
  end,
  backfill = "easy",
  claims = { "never-idle" },
}
