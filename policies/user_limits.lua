local held = {} -- by view: under time slices the limit is one in each class of jobs

local function count(view, job, by)
  local nodes, jobs = held[view].nodes, held[view].jobs
  nodes[job.user] = (nodes[job.user] or 0) + by * job.nodes
  jobs[job.user] = (jobs[job.user] or 0) + by
end

---@type coslice.Policy
return {
  api = 1,
  name = "user_limits",
  version = "1",
  description = "EASY backfilling, in which a user's running jobs hold at most max_nodes nodes. Jobs above the limit "
    .. "are passed over; one that alone is larger runs when its user runs nothing else. Unknown users are not limited.",
  params = {
    max_nodes = { default = 32, min = 0, integer = true, doc = "Nodes that a user may hold at a time; 0: any number." },
    max_jobs = { default = 0, min = 0, integer = true, doc = "Jobs that a user may run at a time; 0: any number." },
  },

  begin = function(view) held[view] = { nodes = {}, jobs = {} } end,
  started = function(view, job) count(view, job, 1) end,
  ended = function(view, job) count(view, job, -1) end,

  may_start = function(job, _, params)
    local of = held[job.view]
    local nodes, running = of.nodes[job.user] or 0, of.jobs[job.user] or 0
    if job.user < 0 or running == 0 then return true end
    if params.max_jobs > 0 and running >= params.max_jobs then return false end
    return params.max_nodes == 0 or nodes + job.nodes <= params.max_nodes
  end,
  backfill = "easy",
  claims = { "never-idle" },
}
