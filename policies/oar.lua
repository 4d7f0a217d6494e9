local Plan = require "oar_plan"
local Seconds = require "oar_seconds"
local Server = require "oar_server"

local function delay(default, doc) return { default = default, min = 0, max = 3600, doc = doc } end

-- The numbers of sections are those of docs/oar.md. Delays are measured in logs of two real servers.
local params = {
  model = {
    default = "server", choices = { "server", "seconds" },
    doc = "When rounds take place: as the server with its delays has them, or by whole seconds.",
  },
  fault = {
    default = true,
    doc = "Kamelot's fault: some running jobs lose their nodes in the plan before they are believed to end.",
  },
  SCHEDULER_JOB_SECURITY_TIME = {
    default = 60, min = 0, max = 86400, integer = true, doc = "In plans a job takes so much longer than its limit, s.",
  },
  -- Section 5: submissions and ends.
  submission = delay(0.063, "From a submission until the server hears of it, s."),
  part_of_second = { default = 0.5, min = 0, max = 1,
    doc = "Submissions in whole seconds are so much later than they say, s." },
  drawn = { default = false, doc = "What is below a second is drawn: the same jobs run in another way with each "
    .. "seed." },
  ending = delay(0.31, "From the launch of a job to its dated end, more than its run time, s."),
  written = delay(0.014, "From the dated end of a job until it is written down, s."),
  said = delay(0.022, "From the dated end of a job until the server hears of it, s."),
  -- Section 3: a round, step by step.
  ended = delay(0.147, "A look at ended jobs takes so long, s."),
  each_ended = delay(0.0115, "A look at ended jobs takes so much longer for each of them, s."),
  look = { default = 0.141, min = 0, max = 1,
    doc = "A look at ended jobs sees what is written so long after its beginning, s." },
  round = delay(0.166, "From the look at ended jobs until a round fixes the second that it decides for, s."),
  current = delay(0.0145, "Entering the jobs that have nodes takes so long, s."),
  each_current = delay(0.0020, "Entering the jobs that have nodes takes so much longer for each, s."),
  no_plan = delay(0.022, "The rest of a round in which no job waits takes so long, s."),
  read = delay(0.505, "From there until a round reads the list of waiting jobs, s."),
  plan = delay(0.050, "A plan takes so long, s."),
  each_waiting = delay(0.00124, "A plan takes so much longer for each waiting job, s."),
  after_plan = delay(0.055, "From the plan until jobs are launched, s."),
  launch = delay(0.056, "Launching a job takes so long, s."),
  tail = delay(0.014, "From the last launch to the end of the round, s."),
  -- Section 2: other commands.
  check = delay(0.152, "Looking for jobs past their limits takes so long, s."),
  command = delay(0.004, "From one command to the next, s."),
}

local server  -- of this run
local machine -- the set of all nodes
local kinds   -- how many kinds of them there are
local own     -- that of the job that is being started
local free    -- nodes that are at least free, as jobs have left them since the last pass

--- The nodes of the plan for the job that is being started; else any.
local function place(node)
  if own and not Plan.has(own, node.number) then return false end
  return -node.number
end

--- Now, in whole seconds where that is meant: a number this large misses one by up to a microsecond.
local function instant(view)
  local now = view.now
  local second = math.floor(now + 0.5)
  return now > 2 ^ 32 and math.abs(now - second) < 2e-6 and second or now
end

--- Whether each node of the machine could serve the job, were it empty.
local function serves_all(view, job)
  local open, able = view:eligible(job)
  return open == view.capacity and able == view.capacity
end

---@type coslice.Policy
return {
  api = 1,
  name = "oar",
  version = "2",
  description = "OAR 2.5.4 with the scheduler Kamelot, as the authors of Batsim ran it in 2016: conservative "
    .. "backfilling that is planned anew in each round, rounds when the server with its delays has them, and a fault "
    .. "of the plan (docs/oar.md).",
  params = params,
  placement = { rank = place, cached = false },

  begin = function(view, settings)
    machine = Plan.all(view.capacity)
    kinds, free = #view:kinds(), view.free
    server = settings.model == "server" and Server.new(settings, settings.drawn and random or nil) or Seconds.new()
  end,
  submitted = function(view, job)
    local sizes = view:sizes(job) -- of a moldable job the server knows the first
    job.oar = { job = job, sizes = sizes, count = sizes and sizes[1].nodes or job.nodes, limit = sizes
      and sizes[1].limit or job.estimate }
    server:submit(job.oar, view.now)
  end,
  withdrawn = function(_, job) server:withdraw(job.oar) end,
  reason = function(_, job)
    if not server:has_seen(job.oar) then return nil, "no round of the server has seen it yet" end
    return nil, "in the plan of the server's last round its place is later"
  end,
  ended = function(view, job)
    free = free + job.oar.count
    server:finish(job.oar, job.finish - job.start, view.now)
  end,
  schedule = function(view, settings)
    local function closed(planned, begin)
      local nodes, opens = view:closed(planned.job, begin, planned.sizes and planned.limit)
      if nodes then return Plan.set(nodes, machine), math.ceil(opens) end
    end
    local function starts(now, current, waiting)
      return Plan.starts(now, machine, current, waiting, settings.SCHEDULER_JOB_SECURITY_TIME, settings.fault, closed)
    end
    local function launch(planned, nodes)
      own = nodes
      if planned.sizes and view:sizes(planned.job) then view:set_nodes(planned.job, planned.count) end
      local fits = view:fits(planned.job) -- unless a node has just failed, or is to go
      -- The plan knows no kinds and no partitions: another node may have what the job asks for.
      if not fits and (kinds > 1 or not serves_all(view, planned.job)) then
        own = nil
        fits = view:fits(planned.job)
      end
      local earliest = not fits and view:earliest(planned.job).time or nil
      if fits then view:start(planned.job) end
      own = nil
      return fits, earliest
    end
    if view.free > free then -- nodes are back, perhaps sooner than believed
      for job in view:waiting() do job.oar.closed_until = nil end
      server:look_anew()
    end
    local next_round = server:run(instant(view), starts, launch)
    free = view.free
    if next_round then view:wake(next_round, "the server has its next round") end
  end,
}
