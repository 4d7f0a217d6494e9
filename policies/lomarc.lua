-- The job that is to be scheduled looks through the rest of the queue, or the running jobs, for a partner that wants
-- other parts of a node than itself, and both run on the same nodes. Short jobs come first and are not paired; a job
-- that waits long gains priority; EASY backfilling. The other variants are this policy with other parameters.

-- Kinds of jobs that go together. With hyperthreading anything but two of the same kind, and two CPU-bound ones that do
-- not want the same parts of the CPU; on a standard CPU one that computes while the other waits for its disk.
local kinds = {
  hyperthreaded = { { "cpu", "cpu" }, { "cpu", "network" }, { "cpu", "disk" }, { "network", "disk" } },
  standard = { { "cpu", "disk" } },
}

-- Priority by class: short jobs before medium ones before long ones.
local function level(job, params)
  if job.estimate <= params.short then return 0 end
  return job.estimate <= params.medium and 1 or 2
end

local rules, running_rules -- which jobs may be partners, made once
local wait -- of all started jobs: their sum, s, and how many
local seen -- what came so far, since when, how many short jobs and others, and their work

local function make_rules(params)
  local lookahead = params.partner == "lookahead"
  local any = params.partner == "any"
  rules = {
    over = any and 0 or params.short,
    narrower = lookahead,
    memory = not any,
    matchable = not any,
    kinds = kinds[params.cpu],
    max_slowdown = any and math.huge or params.max_slowdown,
    depth = lookahead and math.huge or 1,
  }
  running_rules = table.copy(rules)
  running_rules.depth, running_rules.narrower = nil, true
end

-- Jobs that are expected to come, as the response-time impact wants to know it: as the parameters say, else as before.
local function arrivals(view, params)
  if params.future == "none" then return nil end
  local jobs = seen.short + seen.others
  local gap = params.gap > 0 and params.gap or (view.now - seen.since) / jobs
  if jobs == 0 or gap <= 0 then return nil end
  local short = params.gap > 0 and params.short_share or seen.short / jobs
  return {
    first = short / gap,
    others = (1 - short) / gap,
    work = params.gap > 0 and params.mean_work or seen.work / jobs / view.capacity,
    queued = params.future == "queued",
  }
end

local function choice(view, head, params)
  local response = params.choice == "response"
  return {
    by = params.choice,
    own = response and params.own or nil,
    arrivals = response and arrivals(view, params) or nil,
    head = head,
  }
end

-- What monitoring tells of a pair is known a while after it was formed.
local function share(view, pair, params)
  view:start_group(pair)
  if params.preempt == 0 then return end
  pair:matched()[1].judged_at = view.now + params.notice
  view:wake(view.now + params.notice)
end

-- Pairs whose jobs run slower than they should: one of the two waits until the other has ended.
local function take_apart(view, params)
  for job in view:running() do
    if job.judged_at and view.now > job.judged_at - 0.001 then
      job.judged_at = nil
      local slowdown = view:slowdown(job)
      if slowdown > params.preempt + 1e-6 and slowdown < math.huge then
        view:separate(job)
        view:note("pairs.taken_apart", slowdown)
      end
    end
  end
end

-- The best partner of a job among the others that wait: those behind it, or, if it is backfilled, all but the head,
-- which must not be delayed. (Figure 4: the search runs over the whole queue.)
local function match_waiting(view, job, head, params)
  if params.partner == "none" then return nil end
  rules.behind = params.backfill_partners == "queue" and rules.narrower and head or nil
  local partners, long, narrow, memory, matchable, slow = view:partners(job, rules)
  local pair, rank = view:best_pair(job, partners, choice(view, head, params))
  if pair and not view:can_start_group(pair) then pair = nil end
  if params.partner == "lookahead" and job.estimate > params.short then
    view:note("search.found", pair and 1 or 0)
    if pair then -- what the rules left of the queue where a pair was formed (Table 5), once for each
      view:note("search.queue", view.waiting_count)
      view:note("search.medium_or_long", long)
      view:note("search.narrower", narrow)
      view:note("search.memory_fits", memory)
      view:note("search.matchable", matchable)
      view:note("search.slowdown", slow)
      view:note("search.chosen", rank)
    end
  end
  return pair
end

local function match_running(view, job, head, params)
  if params.partner == "none" or params.partner == "next" then return nil end
  return (view:best_pair(job, view:running_partners(job, running_rules), choice(view, head, params)))
end

-- The first waiting job: with a partner from the queue, alone, or on the nodes of a running one. False if it must wait.
local function place(view, job, params)
  if view:fits(job) then
    local pair = match_waiting(view, job, nil, params)
    if pair then share(view, pair, params) else view:start(job) end
    return true
  end
  local pair = match_running(view, job, nil, params)
  if pair then share(view, pair, params) end
  return pair ~= nil
end

-- The first `count` jobs behind the head.
local function next_in_line(view, head, count)
  local near = {}
  for job in view:waiting(head) do
    if count == 0 then break end
    near[job], count = true, count - 1
  end
  return near
end

-- EASY, whose kind the paper does not tell further: `backfill` and `backfill_depth` are its readings.
local function backfill(view, head, params)
  local near = params.backfill_depth > 0 and next_in_line(view, head, params.backfill_depth)
  for job in view:passing(head) do
    local short = job.estimate <= params.short
    if not (near and not near[job] or short and params.backfill == "not-short") then
      local pair = match_waiting(view, job, head, params)
      if pair then share(view, pair, params) else view:start(job) end
      if params.backfill == "one" then return end
    end
  end
end

-- The machine is weakly loaded: all waiting jobs have room.
local function weakly_loaded(view, params)
  local most, nodes = params.weak_load * view.free, 0
  for job in view:waiting() do
    nodes = nodes + job.nodes
    if nodes > most then return false end
  end
  return true
end

local function age_of_level(params)
  if params.age > 0 then return params.age end
  local mean = wait.jobs > 0 and wait.sum / wait.jobs or 0
  return mean >= 1e-9 and mean or params.first_age -- less is what rounding leaves
end

---@type coslice.Policy
return {
  api = 1,
  name = "lomarc",
  version = "2",
  description = "LOMARC (Sodan & Lan 2005): pairs of jobs that want different parts of a node share it.",

  params = {
    choice = {
      default = "weighted-gain",
      choices = { "weighted-gain", "gain", "response", "first", "first-gain" },
      doc = "The best partner by U_gain,1, by U_gain,2, by response-time impact; or the first that will do, or the "
        .. "first of them with a gain above 0.",
    },
    partner = {
      default = "lookahead",
      choices = { "lookahead", "next", "any", "none" },
      doc = "From where: the whole queue and running jobs; the next job in the queue; that or a running one, " ..
        "whatever they are; no sharing.",
    },
    cpu = { default = "hyperthreaded", choices = { "hyperthreaded", "standard" },
      doc = "Which kinds of jobs go together." },
    max_slowdown = { default = 1.6, min = 1, doc = "MAX_SLOWDOWN: of either job." },
    short = { default = 60, min = 0, doc = "Estimates up to this make a job short, s; short ones have no partners." },
    medium = { default = 3600, min = 1, doc = "Estimates up to this make a job medium, s." },
    weak_load = {
      default = 0.8, min = 0,
      doc = "If all waiting jobs together want no more than this part of the free nodes, each gets its own.",
    },
    age = {
      default = 0, min = 0,
      doc = "T_age: waiting time that lifts a job to the next class's priority, s; 0: the mean wait of all started "
        .. "jobs.",
    },
    capped = {
      default = true,
      doc = "Whether priorities grow to that of a short job and no further, so that those who waited long go in the "
        .. "order in which they came; else short jobs gain as well, and stay ahead of long ones that came up to 2 "
        .. "T_age before.",
    },
    first_age = { default = 3600, min = 1, doc = "The same before any job has waited." },
    backfill_partners = {
      default = "queue", choices = { "queue", "behind" },
      doc = "For lookahead: where a backfilled job looks for partners: in the whole queue but its head, or behind "
        .. "itself.",
    },
    backfill = {
      default = "all", choices = { "all", "not-short", "one", "none" },
      doc = "Which jobs go before the first waiting one: all that do not delay it; not short ones; one in each pass; "
        .. "or none.",
    },
    backfill_depth = { default = 0, min = 0, integer = true,
      doc = "How many jobs behind the first waiting one are looked at for that; 0: all." },
    preempt = {
      default = 0,
      min = 0,
      doc = "A pair whose jobs turn out to run more than this many times slower than alone is taken apart: one " ..
        "stops until the other has ended. 0: never; beyond 2 both are done later than one after the other.",
    },
    notice = { default = 60, min = 0.001,
      doc = "For preempt: time after which the slowdown of a new pair is known, s." },
    own = {
      default = "slowdown", choices = { "slowdown", "work" },
      doc = "For response: how the job itself counts, by its slowdown, or as printed by the delay over its work.",
    },
    future = {
      default = "printed",
      choices = { "none", "queued", "printed" },
      doc = "For response: how jobs that are still to come count: not at all; longer ones as they queue up; or " ..
        "each for itself, as printed.",
    },
    gap = { default = 0, min = 0, doc = "Mean time between arrivals to expect, s; 0: as it was so far, with the next "
      .. "two." },
    short_share = { default = 0.426, min = 0, max = 1, doc = "The share of short jobs among them." },
    mean_work = { default = 655, min = 0, doc = "Their mean work: nodes x run time / nodes of the machine, s." },
  },

  sharing = function(params)
    local function one() return 1 end
    return { alone = one, shared = one, by_use = params.partner ~= "none" }
  end,

  key = level,

  begin = function(view, params)
    make_rules(params)
    wait = { sum = 0, jobs = 0 }
    seen = { since = view.now, short = 0, others = 0, work = 0 }
  end,

  submitted = function(_, job, params)
    local of = job.estimate <= params.short and "short" or "others"
    seen[of] = seen[of] + 1
    seen.work = seen.work + job.nodes * job.estimate
  end,

  started = function(_, job) -- T_age
    wait.sum, wait.jobs = wait.sum + job.start - job.submit, wait.jobs + 1
  end,

  schedule = function(view, params)
    if params.preempt > 0 then take_apart(view, params) end
    view:age(age_of_level(params), params.capped and 0 or nil)
    local head = view:head()
    while head and not weakly_loaded(view, params) do
      if not place(view, head, params) then
        if params.backfill ~= "none" then backfill(view, head, params) end
        return
      end
      head = view:head()
    end
    view:start_in_order()
  end,
  claims = function(params)
    if params.backfill ~= "all" or params.backfill_depth > 0 then return { "head-never-delayed" } end
    return { "never-idle", "head-never-delayed" }
  end,
}
