local Plan = require "oar_plan"
local Seconds = require "oar_seconds"
local Server = require "oar_server"

local function delay(default, doc) return { default = default, min = 0, max = 3600, doc = doc } end

-- Measured in two logs of real servers (May 2016, 32 nodes).
local params = {
  model = { default = "server", choices = { "server", "seconds" }, doc = "When rounds take place: as the server with its delays has "
    .. "them, or a whole second after each submission and two after each end." },
  fault = { default = true, doc = "Kamelot's fault: a running job that is to end before one that started earlier loses its nodes "
    .. "in the plan at the first of all ends." },
  SCHEDULER_JOB_SECURITY_TIME = { default = 60, min = 0, max = 86400, integer = true, doc = "Plans take each job to run so much longer than its limit, s." },
  submission = delay(0.063, "From a submission until the server hears of it, s."),
  part_of_second = { default = 0.5, min = 0, max = 1, doc = "So much later than they say are submissions in whole seconds, s." },
  drawn = { default = false, doc = "That part and the length of each job below a second are drawn instead: the server does not repeat itself." },
  ended = delay(0.147, "A look at ended jobs takes so long, s,"),
  each_ended = delay(0.0115, "and so much more for each, s;"),
  look = { default = 0.141, min = 0, max = 1, doc = "what was written so long after its beginning counts, s." },
  round = delay(0.166, "From there until a round looks at the clock, s."),
  current = delay(0.0145, "Entering the current jobs takes so long, s,"),
  each_current = delay(0.0020, "and so much more for each, s."),
  no_plan = delay(0.022, "The rest of a round in which no job waits, s."),
  read = delay(0.505, "From there until the list of waiting jobs is read, s."),
  plan = delay(0.050, "A plan takes so long, s,"),
  each_waiting = delay(0.00124, "and so much more for each waiting job, s."),
  after_plan = delay(0.055, "From there until jobs are launched, s."),
  launch = delay(0.056, "Launching one takes so long, s."),
  tail = delay(0.014, "From there until the end of the round, s."),
  check = delay(0.152, "Looking for jobs past their limits takes so long, s."),
  command = delay(0.004, "From one command to the next, s."),
  ending = delay(0.31, "From the launch of a job to its dated end, more than its run time, s."),
  written = delay(0.014, "From there until the end is written down, s,"),
  said = delay(0.022, "and until the server hears of it, s."),
}

local server  -- of this run
local machine -- the set of all nodes
local own     -- that of the job that is being started

--- The nodes of the plan for the job that is being started; else any.
local function place(node)
  if own and not Plan.has(own, node.number) then return false end
  return -node.number
end

---@type coslice.Policy
return {
  api = 1,
  name = "oar",
  version = "1",
  description = "OAR 2.5.4 with the scheduler Kamelot, as it ran 30 recorded workloads in 2016: conservative backfilling that is "
    .. "planned anew in each round, the rounds of the server with its delays, and a fault in the plan. Nodes in their order.",
  params = params,
  placement = { rank = place, cached = false },

  begin = function(view, settings)
    machine = Plan.all(view.capacity)
    server = settings.model == "server" and Server.new(settings, settings.drawn and random or nil) or Seconds.new()
  end,
  submitted = function(view, job)
    job.oar = { job = job, count = job.nodes, limit = job.estimate }
    server:submit(job.oar, view.now)
  end,
  withdrawn = function(_, job) server:withdraw(job.oar) end,
  ended = function(view, job) server:finish(job.oar, job.finish - job.start, view.now) end,
  schedule = function(view, settings)
    local function starts(now, current, waiting)
      return Plan.starts(now, machine, current, waiting, settings.SCHEDULER_JOB_SECURITY_TIME, settings.fault)
    end
    local function launch(planned, nodes)
      own = nodes
      local fits = view:fits(planned.job) -- unless a node has failed that the server takes to be there
      if fits then view:start(planned.job) end
      own = nil
      return fits
    end
    local next_round = server:run(view.now, starts, launch)
    if next_round then view:wake(next_round, "the server has its next round") end
  end,
}
