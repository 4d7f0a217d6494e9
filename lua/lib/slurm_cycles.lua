-- Slurm's two schedulers, and when they run.
--
-- The main scheduler goes through the queue by priority, and starts what fits; a job that does not fit stops those of
-- its partition, and keeps those of others off its nodes. It runs when a job has ended (or then as after a submission,
-- by `ends_as_submissions`), soon after a submission, and, through the whole queue, every `sched_interval`. The
-- backfill scheduler plans all jobs by priority, each at its earliest beside those before it, on whole nodes even if
-- the job asks for parts of them, and starts those whose turn is now; its plan is forgotten at its end. As long as jobs
-- wait, it runs `bf_interval` after the end of its last cycle, which takes `bf_job_time` for each job; so its cycles
-- drift against everything that happens on a grid. Of those before which nothing has happened only the time counts;
-- runs of the main scheduler before which nothing has happened are left out, unless time alone can let a job start
-- (`timed`). What jobs have used and may still run changes with the calculations of priorities, which count as events.
local cycles = {}

local Partitions = require "slurm_partitions"
local requeue = require "slurm_requeue"
local Stopped = require "slurm_stopped"
local tolerance = require("slurm_instants").tolerance

--- Jobs that end within so long of one another go together when the backfill scheduler asks when a job could start, s;
--- it becomes longer by `bf_window_linear`, or twice as long, each time. With select/linear each end is looked at
--- (`single_ends`).
local end_window = 30

local main_looks = "the main scheduler looks at the queue next"
local backfill_plans = "the backfill scheduler has its next cycle"

--- The first look after the daemon came up, s after it, when nodes have registered: `batch_sched_delay` is read in it.
local first_look = 3

local function reached(now, time) return now > time - tolerance(now) end

--- So many elements of an array have places in a plan (Slurm's bf_max_job_array_resv).
local most_of_array = 20

--- The fewest nodes of a job that asked for a range of them (`sbatch -N 2-4`); nil: it asked for a number.
---@return integer?
function cycles.range_of(job)
  local least = job.range_least
  if least == nil then
    least = math.tointeger(tonumber(string.match(job.sizes or "", "^(%d+)%-%d+$"))) or false
    job.range_least = least
  end
  return least or nil
end

--- The number of the array of which the job is an element; nil: of none.
local function array_of(job)
  local number = job.array_number
  if number == nil then
    number = math.tointeger(tonumber(string.match(job.array or "", "^(%d+)_"))) or false
    job.array_number = number
  end
  return number or nil
end

local Cycles = {}
Cycles.__index = Cycles

--- `limits`, from slurm_limits: nil where none keeps jobs waiting; `first` is the instant at which the daemon came up.
---@param params coslice.Params
---@param first number s
---@param limits? table
function cycles.new(params, first, limits)
  local look = first < 0 and first + first_look or -math.huge
  return setmetatable({ params = params, first = first, limits = limits, overlaps = {},
    full = first + params.sched_interval, asked = look > 0 and look or nil, asked_last = look,
    due = first + params.bf_interval, cycle = params.bf_interval, main_last = -math.huge,
    changed = true, main_changed = true, happened = true, -- nodes have registered
    backfills = params.SchedulerType == "sched/backfill", waiting = {}, delayed = {}, delays = 0 },
    Cycles)
end

--- The partitions of the list that the job names; nil: it names one.
function Cycles:list_of(job) return self.lists and self.lists.by_number[job.partition] or nil end

--- One job more or less waits in its partitions.
function Cycles:count_waiting(job, more)
  local function count(number) self.waiting[number] = (self.waiting[number] or 0) + more end
  for _, member in ipairs(self:list_of(job) or {}) do count(member.number) end
  if not self:list_of(job) then count(job.partition) end
end

--- The job waits from now on, or no longer. One that was requeued starts after `requeue_delay` only.
function Cycles:comes(job, now)
  self:count_waiting(job, 1)
  if self.preemption then self.preemption.comes(job) end
  if cycles.range_of(job) then self.ranges = true end
  local array = self.arrays and self.arrays[array_of(job)]
  if array then
    array.waiting = array.waiting + 1
    if job.interruptions == 0 then array.to_come = array.to_come - 1 end
  end
  if not requeue.delays(job, self.params) or (self.preemption and self.preemption.goes_on(job)) then return end
  self.delayed[job.id], self.delays = requeue.eligible(job, now, self.params), self.delays + 1
end
function Cycles:goes(job)
  self.happened = true
  self:count_waiting(job, -1)
  if self.preemption then self.preemption.goes(job) end
  local array = self.arrays and self.arrays[array_of(job)]
  if array then array.waiting = array.waiting - 1 end
  if self.delayed[job.id] then self:delay_is_over(job.id) end
end

--- The job has ended. Where ends ask as submissions do, only one that was killed or stopped has the main scheduler look
--- at once.
function Cycles:ends(job, now)
  local stopped = self.preemption and self.preemption.was_stopped(job, now)
  local by_itself = job.finish - job.start < job.limit and not stopped
  if self.params.ends_as_submissions and by_itself then self.end_asks = true
  else self.job_ended = true end
end

--- Something has happened that may let a job start.
function Cycles:note_change() self.changed, self.main_changed = true, true end

function Cycles:delay_is_over(id) self.delayed[id], self.delays = nil, self.delays - 1 end

--- Jobs that may start now again; returns when the next ones may.
function Cycles:end_delays(now)
  local next_end = math.huge
  for id, time in pairs(self.delayed) do
    if reached(now, time) then
      self:delay_is_over(id)
      self:note_change()
    else
      next_end = math.min(next_end, time)
    end
  end
  return next_end
end

--- A function of a waiting job, whether limits, delays and, but for bf_licenses, licences let it start now; nil: all
--- may.
function Cycles:filter(view)
  local now, limits, delayed = view.now, self.limits, self.delayed
  local licences = self.licences and not self.params.bf_licenses
  local nodes = self.tells_nodes and view or nil
  if self.delays == 0 and not licences then
    return limits and function(job) return limits:allows(job, now, nodes) end
  end
  return function(job)
    return not delayed[job.id] and (not licences or view:licensed(job))
      and (not limits or limits:allows(job, now, nodes))
  end
end

--- The next instant after `time` at which the daemon looks for work, which it does once a second.
function Cycles:next_look(time) return self.first + math.floor(time - self.first + tolerance(time)) + 1 end

--- When the daemon has last looked at the whole queue by its clock, which it does with or without jobs. As it comes up,
--- it is as if it had; one that came up at 0 is taken to have been there before.
function Cycles:last_full(now)
  local looks = math.floor((now - self.first + tolerance(now)) / self.params.sched_interval)
  return looks > 0 and self.first + looks * self.params.sched_interval or -math.huge
end

--- Starts the job on nodes that other jobs have to leave, if that is how the site is set up; returns also whether they
--- leave at once.
function Cycles:preempt(view, job)
  if not self.preemption then return false end
  return self.preemption.preempt(view, job)
end

--- Gives the job, which asked for a range of nodes, that number of them.
local function resize(view, job, nodes)
  if job.nodes ~= nodes then view:set_nodes(job, nodes) end
end

--- The numbers of nodes among which the job may still choose, ascending; nil: it has one.
local function sizes_of(view, job)
  if not cycles.range_of(job) then return nil end
  local all = view:sizes(job)
  if not all then return nil end
  local nodes = {}
  for _, size in ipairs(all) do table.insert(nodes, size.nodes) end
  table.sort(nodes)
  return #nodes > 1 and nodes or nil
end

--- Gives the job the largest of these numbers of nodes with which it can start, which it can with the first of them.
local function grow(view, job, sizes, can_start)
  local low, high = 1, #sizes
  while low < high do
    local middle = (low + high + 1) // 2
    resize(view, job, sizes[middle])
    if can_start() then low = middle else high = middle - 1 end
  end
  resize(view, job, sizes[low])
end

--- Whether a job of a range of nodes may have as many as it would have now, whatever else is there.
function Cycles:may_grow(job) return not self.job_limits or not self.job_limits:too_large(job) end

--- Starts the job if it can start now, on nodes that no stopped partition has closed. Returns whether it did, and else
--- whether it stops its partition: not where too few of the nodes that are left could ever serve it, or licences are
--- what it lacks, or a limit keeps it waiting. With bf_licenses a job without licences ends the run (third result).
--- `name`: of the partition in which it is to start, of a job of several.
function Cycles:try(view, job, stopped, name)
  local sizes = sizes_of(view, job)
  if sizes then resize(view, job, sizes[1]) end
  local place = stopped:place(job, name)
  if place then
    local open, able = view:eligible(job, place)
    if open < job.nodes then return false, true end
    if able < job.nodes then return false, false end
  end
  if self.licences and not view:licensed(job) then return false, false, self.params.bf_licenses end
  local function within()
    return not self.limits or self.limits:allows(job, view.now, self.tells_nodes and view or nil, place)
  end
  if not within() then return false, self.params.assoc_limit_stop end
  if view:fits(job, place) then
    if sizes and not self.fewest_nodes then
      grow(view, job, sizes, function() return self:may_grow(job) and within() and view:fits(job, place) end)
    end
    view:start(job, place)
    return true
  end
  if not place or not place.outside then
    local started, at_once = self:preempt(view, job)
    if started then return true, not at_once end -- else Slurm has it wait in this run, and stops its partition
  end
  return false, self:holds_up(job, view.now)
end

--- The waiting jobs in order, those of several partitions once for each of them: each with the partition's number, and
--- its name if there are several.
function Cycles:entries(view)
  local step = view:waiting()
  if not self.lists.any then
    return function()
      local job = step()
      if job then return job, job.partition end
    end
  end
  local later, ahead = {}, step()
  local function in_front(entry)
    local home = self:list_of(ahead)
    local tier = home and home[1].tier or ahead.tier
    if entry.tier ~= tier then return entry.tier > tier end
    local rank = self.rank(ahead)
    return entry.rank > rank or entry.rank == rank and entry.job.id < ahead.id
  end
  local function note(job, member)
    local entry = { job = job, number = member.number, name = member.name, tier = member.tier,
                    rank = self.rank(job) - member.behind }
    local at = #later + 1
    while at > 1 and (later[at - 1].tier < entry.tier
      or later[at - 1].tier == entry.tier and later[at - 1].rank < entry.rank) do at = at - 1 end
    table.insert(later, at, entry)
  end
  return function()
    if later[1] and (not ahead or in_front(later[1])) then
      local entry = table.remove(later, 1)
      return entry.job, entry.number, entry.name
    end
    local job = ahead
    if not job then return nil end
    ahead = step()
    local list = self:list_of(job)
    if not list then return job, job.partition end
    for i = 2, #list do note(job, list[i]) end
    return job, list[1].number, list[1].name
  end
end

--- How many of its partitions are not stopped.
local function entries_left(list, stopped)
  local left = 0
  for _, member in ipairs(list) do
    if not stopped[member.number] then left = left + 1 end
  end
  return left
end

--- Whether limits keep all that waits, as when it was last looked at, so that neither scheduler finds a job to start.
--- What keeps a job of several partitions is known for one of them.
function Cycles:nothing_may_start(view)
  return self.limits ~= nil and not self.lists.any and self.limits:keep_all(view)
end

--- One run of the main scheduler: through the whole queue, or as far as `default_queue_depth` says, counting those that
--- wait behind others, too.
function Cycles:start_in_order(view, full)
  local params, limits, completing = self.params, self.limits, self.completing
  if completing and completing:stops_all(view.now) then return end
  local deepest = full and math.huge or params.default_queue_depth + 1 -- Slurm looks at one more
  if self:nothing_may_start(view) then
    self.main_changed = not params.assoc_limit_stop and view.waiting_count >= deepest
    return
  end
  local stopped, looked, started, left = Stopped.new(self.overlaps), 0, 0, view.waiting_count
  if self.lists.any then
    left = 0
    for _, count in pairs(self.waiting) do left = left + count end
  end
  self.stopped = stopped
  local of_partition, depth, most, gone = {}, params.partition_job_depth, params.sched_max_job_start, {}
  for job, partition, name in self:entries(view) do
    -- `left` counts the jobs of partitions that are not stopped.
    if left == 0 or looked >= deepest or (most > 0 and started >= most) then break end
    if not self.delayed[job.id] and not gone[job.id] then
      local was_stopped, starts, stops, ends = stopped[partition], false, false, false
      local together = self.backfills and job.component_count > 1
      if name then self.lists:enter(job, name) end
      if not together then of_partition[partition] = (of_partition[partition] or 0) + 1 end
      if together then stops = true -- only the backfill scheduler starts components together
      elseif depth > 0 and of_partition[partition] > depth then
        stopped:skip(partition)
      elseif stopped:waits_in_reservation(job) then starts = false
      else
        looked = looked + 1
        if was_stopped then starts = false -- it waits
        elseif completing and completing:stops(partition, view.now) then stopped:skip(partition)
        elseif limits and not limits:counts_allow(job, view.now) then stops = params.assoc_limit_stop
        else starts, stops, ends = self:try(view, job, stopped, name) end
      end
      if ends then break end
      if stops and job.reservation == "" then stopped:stop(job, name)
      elseif not starts then stopped:stop_reservation(job) end
      if starts then
        left, started = left - (name and entries_left(self:list_of(job), stopped) or 1), started + 1
        gone[job.id] = name ~= nil
      end
      if stopped[partition] and not was_stopped then left = left - self.waiting[partition] end
    end
  end
  self.main_changed = started > 0 or (looked >= deepest and left > 0) -- it may have looked at no more
end

--- The name of the partition in which the job is looked at, of a job of several; nil: it names one.
function Cycles:name_in(job)
  for _, member in ipairs(self:list_of(job) or {}) do
    if member.number == Partitions.of(job) then return member.name end
  end
end

--- Whether the job fits where it is looked at. Limits of nodes keep what the answer was made of.
function Cycles:fits(job, view)
  local name = self:name_in(job)
  local place = name and { partition = name } or nil
  if self.limits and self.tells_nodes then return self.limits:would_get(job, view, place) ~= nil end
  return view:fits(job, place)
end

--- Why the job has not started, in words: first what keeps it whatever is free, then what is to be said where nothing
--- else keeps it. Changes nothing.
function Cycles:reason(job, view)
  local completing, limits, now = self.completing, self.limits, view.now
  if self.delayed[job.id] then
    return ("BeginTime: it was requeued, and starts no earlier than %g s after that"):format(self.params.requeue_delay)
  end
  local limit = limits and limits:reason(job, now, self.tells_nodes and view or nil)
  if limit then return limit end
  local rule = self.node_rules and not self:fits(job, view) and self.node_rules:reason(job, view, self:name_in(job))
  if rule then return nil, rule end
  if completing and (completing:stops_all(now) or completing:stops(Partitions.of(job), now)) then
    return "Slurm starts nothing while nodes are cleared of a job that has ended (CompleteWait)"
  end
  local head = self.stopped and self.stopped.heads[Partitions.of(job)]
  if head and head ~= job.id then
    return nil, ("job %d before it in its partition could not start, behind which the main scheduler starts none")
      :format(head)
  end
  return nil, "enough was free, but neither of Slurm's schedulers has started it yet"
end

--- Below this priority the job holds no place; 0: at any it does.
function Cycles:least_priority(job)
  local own = self.thresholds and self.thresholds:least_priority(job) or 0
  return own > 0 and own or self.params.bf_min_prio_reserve
end

--- Whether a job that does not fit keeps those behind it waiting: not one that holds no place in a plan either, because
--- it is too young or its priority is too low.
function Cycles:holds_up(job, now)
  local least = self:least_priority(job)
  return now - job.submit >= self.params.bf_min_age_reserve and (least == 0 or self.priority(job) >= least)
end

--- Which jobs that cannot start now hold a place in the plan; nil: all.
function Cycles:reserving(view)
  local params, now, of_partition = self.params, view.now, {}
  local most, reserves = params.bf_job_part_count_reserve, self.reserves
  local none_least = params.bf_min_prio_reserve == 0 and not self.thresholds
  local nodes = self.tells_nodes and self.limits
  if not nodes and most == 0 and none_least and params.bf_min_age_reserve == 0 and not reserves then return nil end
  return function(job)
    if now - job.submit < params.bf_min_age_reserve or (reserves and not reserves(job)) then return false end
    if not none_least and self.priority(job) < self:least_priority(job) then return false end
    if nodes and not nodes:may_hold(job) then return false end
    local partition = Partitions.of(job)
    of_partition[partition] = (of_partition[partition] or 0) + 1
    return most == 0 or of_partition[partition] <= most
  end
end

--- How running jobs make way in a cycle for a waiting one; nil: none does. Where ends are not aligned, places are the
--- ledger's, and none does.
function Cycles:preempting(view)
  local preemption, params = self.preemption, self.params
  if not preemption or not params.ends_aligned or params.bf_resolution == 0 or not preemption.some_may() then
    return nil
  end
  return function(job) return preemption.ways(view, job) end
end

--- For how many jobs one that holds a place counts in this cycle; nil: for itself. Slurm plans the elements of an array
--- that wait for others of it, too: here these are not in the queue, and count with the last one that is.
function Cycles:count_function()
  local arrays, held = self.arrays, {}
  if not arrays then return nil end
  return function(job)
    local array = arrays[array_of(job)]
    if not array then return 1 end
    held[array] = (held[array] or 0) + 1
    if held[array] < array.waiting then return 1 end
    return 1 + math.max(math.min(array.to_come, most_of_array - held[array]), 0)
  end
end

--- The function of a waiting job, asked of it in the partition of that name (nil: in the one where it stands in the
--- queue); nil where there is none.
function Cycles:in_partition(ask)
  local lists = self.lists
  if not ask or not lists.any then return ask end
  return function(job, name)
    lists:enter(job, name)
    return ask(job)
  end
end

--- A function of a waiting job, whether it may start now with the nodes that it would have; nil: all may.
function Cycles:start_filter(view)
  local filter = self:filter(view)
  if not self.ranges or not self.job_limits then return filter end
  return function(job)
    local least = cycles.range_of(job)
    return (not filter or filter(job)) and (not least or job.nodes <= least or self:may_grow(job))
  end
end

--- In which partitions jobs of several have places, each behind the first one; nil: there are no such jobs.
function Cycles:partitions_function()
  local lists = self.lists
  if not lists.any then return nil end
  return function(job) return lists.by_number[job.partition] or nil end
end

--- Jobs that asked for a range of nodes wait with the fewest of them.
function Cycles:shrink(view)
  if not self.ranges then return end
  for job in view:waiting() do
    local sizes = sizes_of(view, job)
    if sizes then resize(view, job, sizes[1]) end
  end
end

--- How many jobs a cycle of the backfill scheduler looks at, at most.
function Cycles:depth()
  local params = self.params
  local longest = params.bf_max_time > 0 and params.bf_max_time or params.bf_interval
  if params.bf_job_time == 0 then return params.bf_max_job_test end
  return math.min(params.bf_max_job_test, math.ceil(longest / params.bf_job_time))
end

--- One run of the backfill scheduler.
function Cycles:backfill(view)
  local params, limits, depth = self.params, {}, self:depth()
  self.cycle = params.bf_interval + params.bf_job_time * math.min(view.waiting_count, depth)
  local function limit(most, ...)
    if most > 0 then table.insert(limits, { most = most, ... }) end
  end
  limit(params.bf_max_job_user, "user")
  limit(params.bf_max_job_part, "partition")
  limit(params.bf_max_job_user_part, "user", "partition")
  limit(params.bf_max_job_assoc, "user", "group")
  self:shrink(view)
  if self:nothing_may_start(view) then
    self.changed = false
    return
  end
  local steps = params.bf_node_space_size > 0 and params.bf_node_space_size or params.bf_max_job_test
  local started = view:plan { depth = depth, instants = steps, limits = limits, window = params.bf_window * 60,
              whole_nodes = true,
              busy_nodes = params.bf_busy_nodes, tries_shared = self.single_ends,
              starts = params.bf_max_job_start > 0 and params.bf_max_job_start or nil,
              resolution = params.bf_resolution,
              end_window = self.single_ends and 0 or end_window, end_step = params.bf_window_linear,
              ends_aligned = params.ends_aligned,
              may_start = self:in_partition(self:start_filter(view)), refusals_stay = not self.tells_nodes,
              may_hold = self:in_partition(self:reserving(view)),
              counts_as = self:count_function(), preempts = self:in_partition(self:preempting(view)),
              partitions = self:partitions_function(), largest_sizes = self.ranges and not self.fewest_nodes }
  self.changed = params.bf_max_job_start > 0 and started >= params.bf_max_job_start -- there may be more to start
  self.main_changed = self.main_changed or started > 0 -- those behind them
end

--- When the next cycle is due: as long as jobs wait, cycles follow each other. Else there is one only if something has
--- happened since the last one; where nothing has, the thread looks again every second. One that falls into the time in
--- which Slurm waits for nodes that are being cleared comes after it.
function Cycles:keep_due(now)
  local late = now - self.due - tolerance(now)
  if late > 0 and self.waits then
    self.due = self.due + math.ceil(late / self.cycle) * self.cycle
  elseif late > 0 then
    if self.happened then -- a cycle that found no job
      self.due, self.happened = self.due + self.params.bf_interval, false
      late = now - self.due - tolerance(now)
    end
    if late > 0 then self.due = self.due + math.ceil(late) end
  end
  if self.completing then self.due = math.max(self.due, self.completing:until_when()) end
end

--- Whether a run of the main scheduler may find anything that the last one did not.
function Cycles:may_start_more() return self.main_changed or self.timed or self.completing ~= nil end

--- The main scheduler is to look at the queue, as after a submission.
function Cycles:ask(now)
  self.asked = self.asked or math.max(self:next_look(now),
    math.max(self.asked_last, self:last_full(now)) + self.params.batch_sched_delay)
end

--- What is due at this instant.
function Cycles:run(view)
  local now, params = view.now, self.params
  -- Where jobs have started before the first run, on record, the daemon has been up for long.
  if not self.ran then self.ran, self.waits = true, self.has_history end
  self:keep_due(now)
  if view.submitted or view.ended or view.corrected then
    self:note_change()
    self.happened = true
  end
  if view.submitted or self.end_asks then self:ask(now) end
  if self.delays > 0 then self:end_delays(now) end
  -- Places that are given up in the queue are found later.
  local main = view.ended and (self.job_ended or not (self.job_withdrawn or self.end_asks))
  self.job_ended, self.job_withdrawn, self.end_asks = false, false, false
  if self.completing then main = self.completing:cleared(now) end
  if self.asked and reached(now, self.asked) then
    main, self.asked, self.asked_last = true, nil, now
  end
  local full = reached(now, self.full)
  if full then
    local intervals = math.floor((now - self.full + tolerance(now)) / params.sched_interval)
    local last = self.full + intervals * params.sched_interval
    full = not reached(now, last + 2 * tolerance(now)) -- otherwise it ran while no job waited
    if full then main, self.asked = true, nil end
    self.full = last + params.sched_interval
  end
  local next_main = self.main_last + params.sched_min_interval / 1000000
  if main and not reached(now, next_main) then
    main, self.asked = false, math.min(self.asked or math.huge, next_main)
  end
  if main then
    self.main_last = now
    if self:may_start_more() then self:start_in_order(view, full) end
  end
  if self.backfills and self.changed and reached(now, self.due) then
    self.happened = false
    self:backfill(view)
    self.due = now + self.cycle
    if self.job_ended or self.end_asks then self:ask(now) end -- it has stopped some
  end
  self.waits = view.waiting_count > 0
end

--- Asks for a pass when the main scheduler is to look, as it does even where nothing can ever start: else that would
--- still be to come when the next job does.
function Cycles:wake_asked(view)
  if self.asked then view:wake(self.asked, main_looks) end
end

--- Asks for passes at the instants at which something may have to be done.
function Cycles:wake(view, calculation)
  self:wake_asked(view)
  if view.waiting_count == 0 then return end
  if self:may_start_more() then view:wake(self.full, main_looks) end
  view:wake(calculation)
  local cleared = self.completing and self.completing:next_time(view.now)
  if cleared then view:wake(cleared) end
  if self.delays > 0 then view:wake(self:end_delays(view.now)) end
  if self.changed and self.backfills then view:wake(self.due, backfill_plans) end
end

return cycles
