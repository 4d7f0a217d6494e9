-- Jobs are placed on the same nodes in groups of a primary job and others that share its nodes, if together they use
-- the nodes better than apart and no job is delayed unfairly. The scheduler knows nothing of time slices: with
-- `sliced`, one of them works in each class of Scojo-PECT's slices.
local groups = require "groups"
local memory_models = require "memory_models"
local three_classes = require "three_classes"

local function bears_all_cores(job, params)
  return job.processes > 1 and job.slowdown_processors * job.slowdown_cores <= params.max_slowdown
end

-- The first kind of slowdown, and the processes on a node that have it: one on each processor (Figure 12), or, within
-- one processor, one on each of its cores (Figure 17).
local function first_step(job, machine, params)
  if params.layout == "within" then return machine.cores // machine.processors, job.slowdown_cores end
  return machine.processors, job.slowdown_processors
end

-- Processes per node where a job tolerates only that; else one.
local function some(job, machine, params)
  local ppn, slowdown = first_step(job, machine, params)
  return job.processes > 1 and slowdown <= params.self_slowdown_2 and ppn or 1
end

-- A job that is too wide for the machine this way has more processes on each node than it prefers.
local function so_that_it_fits(ppn, job, machine)
  return math.min(math.max(ppn, (job.processes + machine.nodes - 1) // machine.nodes), machine.cores)
end

-- Processes per node of a job for itself: all cores, or fewer (Equation 11).
local function by_itself(job, machine, params)
  return bears_all_cores(job, params) and machine.cores or so_that_it_fits(some(job, machine, params), job, machine)
end

-- Those with which it waits. Where Case 5 is out, fewer than all cores, if the machine is wide enough.
local function alone(job, machine, params)
  local case4 = some(job, machine, params)
  if params.alone_on_all_cores == "always" or job.class == "short" or job.processes > case4 * machine.nodes then
    return by_itself(job, machine, params)
  end
  return case4
end

-- More than those with which it waits, fewest first, if it would have to wait: "reducing its node requirement via space
-- sharing" (Zeng 2009, Chapter 6).
local function denser(job, machine, params)
  if params.denser == "never" or job.processes == 1 then return {} end
  local ppn, slowdown = first_step(job, machine, params)
  local all = job.slowdown_processors * job.slowdown_cores
  local before = alone(job, machine, params)
  local ppns = {}
  for _, step in ipairs { { ppn, slowdown }, { machine.cores, all } } do
    local tolerated = params.denser == "whatever" or step[2] <= params.max_slowdown
    if tolerated and step[1] > (ppns[#ppns] or before) then ppns[#ppns + 1] = step[1] end
  end
  return ppns
end

-- Those that it may have instead when it starts behind the first waiting job.
local function at_most(job, machine, params)
  return params.alone_on_all_cores == "never" and alone(job, machine, params) or by_itself(job, machine, params)
end

-- In a group there must be cores left for the others.
local function shared(job, machine, params)
  local ppn = some(job, machine, params)
  if params.ppn_in_groups == "first-step" and job.processes > 1 then ppn = first_step(job, machine, params) end
  return math.max(1, math.min(ppn, machine.cores // 2))
end

local forms = {
  groups = groups.form,
  pairs = groups.best_pair,
  ["first-pair"] = groups.first_pair,
  walk = groups.walk,
  exhaustive = groups.exhaustive,
  none = function() return nil, "alone" end,
}

-- What a search came to: the group that gains most, or how far the best of those that came to nothing got.
local hurdles = { alone = 1, gain = 2, nodes = 3, reservation = 4, unfair = 5 }

local function search() return { group = nil, failed = "alone" } end

-- Adds what a form found; of equal gains the first stays.
local function add(found, group, failed)
  if group and not (found.group and found.group.gain >= group.gain) then found.group = group end
  if failed and hurdles[failed] > hurdles[found.failed] then found.failed = failed end
end

-- Jobs that may share nodes: not short ones, which are not worth it. In time slices they are among themselves anyway.
local function worth_it(candidates, params)
  if params.sliced then return candidates end
  return candidates:where(function(job) return job.class ~= "short" end)
end

local function waiting(view, params) return worth_it(view:waiting_candidates(), params) end
local function running(view, params) return worth_it(view:running_candidates(groups.fairness(params)), params) end

-- Groups around each of some primary jobs, with `must` in them.
local function add_around(found, view, primaries, candidates, params, must, backfilled)
  for _, primary in ipairs(groups.primaries_of(must, primaries, params):jobs()) do
    add(found, forms[params.form](view, primary, candidates, params, must, backfilled))
  end
end

-- Case 3: over running jobs, those least delayed first.
local function add_over_running(found, view, candidates, params, must)
  local primaries = running(view, params):parallel():first(params.running_primaries)
  add_around(found, view, primaries, candidates, params, must)
end

-- Case 5: the gain of a job that has all cores of its nodes for itself.
local function alone_gain(view, job, params)
  if params.alone_on_all_cores ~= "always" or not bears_all_cores(job, params) then return nil end
  if not view:can_start_alone(job) then return nil end
  return job.processes / job.nodes / (job.slowdown_processors * job.slowdown_cores) - 1
end

-- A serial job joins others of its kind on the nodes of a parallel one, waiting (Case 1) or running (Case 3).
local function search_of_serial(found, view, job, primaries, params)
  local serial = waiting(view, params):serial()
  add_around(found, view, primaries, serial, params, job)
  add_over_running(found, view, serial, params, job)
end

-- Case 1 around a wider waiting job, the widest first, so that more of the others find room over it: beyond the paper,
-- which expects larger groups of that (Zeng 2009, Chapter 7).
local function group_around_wider(view, job, candidates, params)
  local own = view:nodes_in_group(job)
  local wider = candidates:parallel():fitting(view.idle):first(params.block_size):where(function(other)
    return view:nodes_in_group(other) > own
  end)
  local widest_first = wider:by(function(other) return -view:nodes_in_group(other) end)
  for _, primary in ipairs(groups.primaries_of(job, widest_first, params):jobs()) do
    local group = forms[params.form](view, primary, candidates, params, job)
    if group then return group end
  end
  return nil
end

-- The group of a parallel job: as the primary of waiting ones (Case 1) or of running ones (Case 2), or with others
-- over a running primary (Case 3).
local function search_of_parallel(found, view, job, params)
  local form = forms[params.form]
  local others = waiting(view, params)
  local wider = params.primary == "widest" and group_around_wider(view, job, others, params)
  if wider then add(found, wider)
  elseif view:nodes_in_group(job) <= view.idle then add(found, form(view, job, others, params)) end
  add_over_running(found, view, others, params, job)
  add(found, form(view, job, running(view, params), params))
end

local no_group = {
  alone = "no other job and it bear each other",
  gain = "every group with it gains less than is wanted",
  nodes = "a group with it would need more idle nodes",
  reservation = "every group with it that gains enough would delay a reservation",
  unfair = "every group with it that gains enough would be unfair",
}

-- For explanations: why it has nodes of its own, with that many processes on each.
local function why_alone(view, job, ppn, found, own_gain, params)
  local on_all = bears_all_cores(job, params) and ppn == view:machine().cores
  local how = on_all and "alone on all cores of its nodes (Case 5)" or "alone (Case 4)"
  if found.group and own_gain then
    return ("%s: it gains %.3f, the best group %.3f"):format(how, own_gain, found.group.gain)
  end
  if params.form == "none" then return how .. ": no groups are formed" end
  if job.class == "short" then return how .. ": short jobs are in no group" end
  return how .. ": " .. no_group[found.failed]
end

-- Starts the job with more processes on each node than it waits with, if that is what lets it start.
local function start_denser(view, job, params)
  local machine = view:machine()
  local ppns = denser(job, machine, params)
  for _, ppn in ipairs(ppns) do
    view:spread(job, ppn)
    if view:can_start_alone(job) then
      view:because(job, ("alone, with %d processes on each node, as it would have to wait for more nodes"):format(ppn))
      view:start(job)
      return true
    end
  end
  if #ppns > 0 then view:spread(job, alone(job, machine, params)) end
  return false
end

-- The first waiting job: in a group, alone on all cores (Case 5), or alone otherwise (Case 4). False if it must wait.
local function schedule_head(view, head, params)
  local found = search()
  if head.class ~= "short" and params.form ~= "none" then
    if head.processes == 1 then
      local primaries = waiting(view, params):parallel():fitting(view.idle):first(params.block_size)
      search_of_serial(found, view, head, primaries, params)
    end
    if head.processes > 1 or not found.group and params.serial_fallthrough then
      search_of_parallel(found, view, head, params)
    end
  end
  local group, own_gain = found.group, alone_gain(view, head, params)
  if group and not (own_gain and own_gain >= group.gain) then
    view:start_group(group)
  elseif view:can_start_alone(head) then
    view:because(head, why_alone(view, head, alone(head, view:machine(), params), found, own_gain, params))
    view:start(head)
  else
    return start_denser(view, head, params)
  end
  return true
end

-- By itself, if it can start so: without Case 5 for the first waiting job alone, the others may still have all cores.
-- Tells whether it did.
local function start_alone(view, job, found, own_gain, params)
  local machine = view:machine()
  local before = alone(job, machine, params)
  local most = at_most(job, machine, params)
  if most ~= before then view:spread(job, most) end
  if view:can_start_alone(job) then
    view:because(job, why_alone(view, job, most, found, own_gain, params))
    view:start(job)
    return true
  end
  if most ~= before then view:spread(job, before) end
  return start_denser(view, job, params)
end

-- Jobs that may be in a group behind the head: the same for all, until a job starts.
local function behind(view, head, params)
  local all = waiting(view, params):without(head)
  local primaries = all:parallel():fitting(view.idle):first(params.block_size)
  return { all = all, serial = all:serial(), primaries = primaries }
end

-- What kind of groups a search may find; those that are tried in full have no such kind, and jobs that are tried with
-- more processes on a node than are noted of them have no prospects.
local kinds = { groups = "sets", walk = "sets", pairs = "pairs", ["first-pair"] = "pairs", none = "none" }

-- The jobs behind the head that may start, alone or in a group.
local function behind_with_prospects(view, head, params)
  local kind = kinds[params.form]
  if not kind or params.denser ~= "never" then return view:waiting(head) end
  return view:prospects(head, groups.tolerance(params), { groups = kind, primaries = params.block_size })
end

-- Cases 1, 4 and 5 for the jobs behind the head, where they move no reservation of another job.
local function backfill(view, head, params)
  local others
  for job in behind_with_prospects(view, head, params) do
    if view.idle == 0 then return end
    local found = search()
    if job.class ~= "short" and params.form ~= "none" then
      if job.processes == 1 then
        others = others or behind(view, head, params)
        add_around(found, view, others.primaries, others.serial, params, job, true)
      elseif view:nodes_in_group(job) <= view.idle then
        others = others or behind(view, head, params)
        add(found, forms[params.form](view, job, others.all, params, nil, true))
      end
    end
    local group, own_gain = found.group, alone_gain(view, job, params)
    if group and not (own_gain and own_gain >= group.gain) then
      view:start_group(group)
      others = nil
    elseif start_alone(view, job, found, own_gain, params) then
      others = nil
    end
  end
end

-- Under low load every job starts, with as many processes on each node as it tolerates.
local function spread_all(view, params)
  if params.alone_on_all_cores == "always" then return end
  local waiting_now, machine = {}, view:machine()
  for job in view:waiting() do waiting_now[#waiting_now + 1] = job end
  for _, job in ipairs(waiting_now) do
    local most = by_itself(job, machine, params)
    if most ~= alone(job, machine, params) then view:spread(job, most) end
  end
end

-- All waiting jobs could have nodes of their own, one process on each.
local function low_load(view)
  local processes = 0
  for job in view:waiting() do
    processes = processes + job.processes
    if processes > view.idle then return false end
  end
  return true
end

---@type coslice.Policy
return {
  api = 1,
  name = "glomarc_ts",
  version = "2",
  description = "G-LOMARC-TS (Zeng 2009): groups of jobs that share nodes with several cores, formed for "
    .. "utilization and checked for fairness; alone or in the time slices of Scojo-PECT.",

  params = three_classes.with_params {
    form = {
      default = "groups",
      choices = { "groups", "pairs", "first-pair", "walk", "exhaustive", "none" },
      doc = "How groups are found: the seven steps; the best pair; the first pair; as jobs come; all sets; not at all.",
    },
    max_slowdown = { default = 1.25, min = 1, doc = "MAX_SL: slowdown that a job tolerates." },
    max_slowdown_on = {
      default = "total",
      choices = { "total", "partner" },
      doc = "Whether that includes the slowdown by the job's own processes, or only that by the partner.",
    },
    self_slowdown_2 = { default = 1.12, min = 0, doc = "SELF_SL_2: most slowdown with a process on each processor." },
    min_gain = { default = 0.45, doc = "MIN_UTILGAIN: least utilization gain of a group." },
    block_size = { default = 16, min = 1, integer = true, doc = "BLOCK_SIZE: candidates per block." },
    sort = { default = true, doc = "Whether the longest come first in a block." },
    other_blocks = { default = true, doc = "Whether jobs of later blocks may be added." },
    matched_exceed = {
      default = 0.125,
      min = 0,
      doc = "MATCHED_EXCEED_PRIM: nodes beyond the primary's, as a part of them.",
    },
    primary = {
      default = "first",
      choices = { "first", "widest" },
      doc = "Case 1: the first waiting job is the primary; or, beyond the paper, the widest of the first block.",
    },
    running_primaries = {
      default = 8,
      min = 0,
      integer = true,
      doc = "RUNNING_PRIM_NUM: running jobs tried as primary.",
    },
    matched_longer = { default = 3000, min = 0,
      doc = "MAX_MATCHED_LONGER_PRIM: at most this much longer than the primary, s." },
    slack = { default = 1.5, min = 0, doc = "F_slack: response time allowed, over the expected one." },
    expected = { default = 0.75, min = 0, doc = "Expected response time, over the one simulated at submission." },
    predicted = { default = 0.75, min = 0, doc = "The same factor for the time to come when a group is checked." },
    fair_to_members = { default = true, doc = "Whether the jobs of the group are protected, too." },
    alone_on_all_cores = {
      default = "always",
      choices = { "always", "not-first", "never" },
      doc = "Case 5, alone on all cores: among the choices for every job; for those behind the first waiting one only; "
        .. "or for none. Short jobs, and all under low load, may have all cores in any case.",
    },
    ppn_in_groups = {
      default = "tolerated",
      choices = { "tolerated", "first-step" },
      doc = "Processes on a node of a parallel job in a group: one on each processor if SELF_SL_2 allows it, else one; "
        .. "or one on each processor in any case.",
    },
    denser = {
      default = "never",
      choices = { "never", "tolerated", "whatever" },
      doc = "Whether a job that would have to wait is also tried with more processes on a node than it waits with: if "
        .. "its own slowdown stays within MAX_SL, or whatever it is.",
    },
    layout = {
      default = "across",
      choices = { "across", "within" },
      doc = "A job's processes on a node: on different processors first; or, beyond the paper, on the cores of one "
        .. "first, and no processor for two jobs.",
    },
    serial_fallthrough = {
      default = false,
      doc = "Whether a serial head without a group is tried like a parallel one.",
    },
    sliced = { default = true, doc = "In the time slices of Scojo-PECT; else all jobs in one queue." },
    nodes = {
      default = "fewest-foreign",
      choices = { "first-free", "fewest-foreign" },
      doc = "Which nodes a job gets.",
    },
    memory = {
      default = "none",
      choices = { "none", "MM1", "MM2", "MM3", "MM4", "MM5" },
      doc = "For sliced, beyond the paper: memory of jobs, which is loaded and swapped as in Scojo-PECT; drawn by "
        .. "class.",
    },
  },

  sharing = function(params) return { alone = alone, shared = shared, layout = params.layout } end,

  slices = function(params)
    if not params.sliced then return nil end
    local slices = three_classes.slices(params)
    slices.nodes = params.nodes
    if params.memory ~= "none" then
      slices.overhead = 0 -- loading takes its place
      slices.memory = { capacity = memory_models.capacity, rate = memory_models.rate, of = memory_models.of }
    end
    return slices
  end,

  submitted = function(view, job, params)
    view:expect(job, groups.fairness(params))
    local machine, short = view:machine(), job.class == "short"
    view:note_choices(job, {
      shares = params.sliced or not short,
      searches = not short,
      ppn = alone(job, machine, params),
      most = at_most(job, machine, params),
    })
  end,

  schedule = function(view, params)
    view:keep_reservations()
    if not view.due then return end
    local head = view:head()
    if head and low_load(view) then
      spread_all(view, params)
    elseif head then
      while head and schedule_head(view, head, params) do
        head = view:head()
      end
      if head then backfill(view, head, params) end
    end
    view:start_due()
  end,
}
