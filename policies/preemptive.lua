-- Where a job stands: one of an urgent queue or quality of service above all tiers.
local function level(job, params)
  local urgent = job.queue == params.urgent_queue and job.queue >= 0 or job.qos == params.urgent_qos and job.qos ~= ""
  return urgent and math.huge or job.tier
end

local running -- jobs that run, by their levels

local function any_below(own)
  for other, jobs in pairs(running) do
    if other < own and jobs > 0 then return true end
  end
  return false
end

---@type coslice.Policy
return {
  api = 1,
  name = "preemptive",
  version = "1",
  description = "EASY backfilling in which jobs of partitions with a higher tier, of an urgent queue or of an urgent "
    .. "quality of service come first, and stop running jobs of lower ones where they do not fit otherwise.",
  params = {
    how = {
      default = "requeue",
      choices = { "requeue", "checkpoint", "kill", "suspend" },
      doc = "What becomes of stopped jobs: they wait again, with or without a checkpoint, or are over; or they are "
        .. "suspended and keep their nodes.",
    },
    rank = {
      default = "least-lost",
      choices = { "least-lost", "newest", "fewest-nodes" },
      doc = "Which jobs are stopped first.",
    },
    min_run = { default = 0, min = 0, doc = "Jobs run at least so long before they are stopped, s." },
    grace = { default = 0, min = 0, doc = "So long do they run on when they are to stop, s." },
    checkpoint_cost = { default = 60, min = 0, doc = "Writing a checkpoint takes so long, s." },
    restart_cost = { default = 60, min = 0, doc = "Going on from it takes so long, s." },
    urgent_queue = { default = -1, integer = true, doc = "The number of a queue whose jobs come before all others." },
    urgent_qos = { default = "", doc = "The name of a quality of service, likewise." },
  },

  key = function(job, params) return -level(job, params) end,
  suspends = function(params) return params.how == "suspend" end,

  begin = function() running = {} end,
  started = function(_, job, params)
    local own = level(job, params)
    running[own] = (running[own] or 0) + 1
  end,
  ended = function(_, job, params)
    local own = level(job, params)
    running[own] = running[own] - 1
  end,

  schedule = function(view, params)
    local saves = params.how == "checkpoint"
    for job in view:waiting() do
      local own = level(job, params)
      if not any_below(own) then break end
      local started = view:preempt(job, {
        among = function(other)
          local ran = view.machine_now - other.start
          if level(other, params) >= own then return false end
          if ran < params.min_run then view:wake(other.start + params.min_run + (view.now - view.machine_now)) end
          return ran >= params.min_run
        end,
        how = params.how,
        rank = params.rank,
        grace = params.how ~= "suspend" and params.grace or 0,
        cost = saves and params.checkpoint_cost or 0,
        restart = saves and params.restart_cost or 0,
      })
      if not started then break end -- those behind it must not take what is coming
    end
    view:easy()
  end,
}
