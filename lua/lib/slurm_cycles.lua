-- Slurm's two schedulers, and when they run.
--
-- The main scheduler goes through the queue by priority, and starts what fits; a job that does not fit stops those of its
-- partition. It runs when a job has ended, soon after a submission, and every `sched_interval`. The backfill scheduler plans
-- all jobs by priority, each at its earliest beside those before it, on whole nodes even if the job asks for parts of them,
-- and starts those whose turn is now; its plan is forgotten at its end. It runs every `bf_interval`, if anything has
-- happened since.
local cycles = {}

local tolerance = require("slurm_instants").tolerance

local function reached(now, time) return now > time - tolerance(now) end

local Cycles = {}
Cycles.__index = Cycles

--- `allowed` says whether limits let a job start now, nil: there are none; `first` is the instant at which the daemon came up.
---@param params coslice.Params
---@param first number s
---@param allowed? fun(job: coslice.Job, now: number): boolean
function cycles.new(params, first, allowed)
  return setmetatable({ params = params, first = first, allowed = allowed, full = first + params.sched_interval, asked_last = -math.huge,
                        backfilled = first, main_last = -math.huge, changed = true, waiting = {}, delayed = {}, delays = 0 }, Cycles)
end

--- The job waits from now on, or no longer. One that was requeued starts after `requeue_delay` only.
function Cycles:comes(job, now)
  self.waiting[job.partition] = (self.waiting[job.partition] or 0) + 1
  if job.interruptions == 0 or self.params.requeue_delay == 0 then return end
  self.delayed[job.id], self.delays = now + self.params.requeue_delay, self.delays + 1
end
function Cycles:goes(job)
  self.waiting[job.partition] = self.waiting[job.partition] - 1
  if self.delayed[job.id] then self:delay_is_over(job.id) end
end

function Cycles:delay_is_over(id) self.delayed[id], self.delays = nil, self.delays - 1 end

--- Jobs that may start now again; returns when the next ones may.
function Cycles:end_delays(now)
  local next_end = math.huge
  for id, time in pairs(self.delayed) do
    if reached(now, time) then
      self:delay_is_over(id)
      self.changed = true
    else
      next_end = math.min(next_end, time)
    end
  end
  return next_end
end

--- A function of a waiting job, whether limits and delays let it start now; nil: all may.
function Cycles:filter(now)
  local allowed, delayed = self.allowed, self.delayed
  if self.delays == 0 then return allowed and function(job) return allowed(job, now) end end
  return function(job) return not delayed[job.id] and (not allowed or allowed(job, now)) end
end

--- The next instant after `time` at which the daemon looks for work, which it does once a second.
function Cycles:next_look(time) return self.first + math.floor(time - self.first + tolerance(time)) + 1 end

--- Starts the job on nodes that other jobs have to leave, if that is how the site is set up.
function Cycles:preempt(view, job)
  return self.preempts ~= nil and self.preempts(view, job)
end

--- One run of the main scheduler.
function Cycles:start_in_order(view)
  local params, allowed, completing = self.params, self.allowed, self.completing
  if completing and completing:stops_all(view.now) then return end
  local stopped, tested, started, left = {}, 0, 0, view.waiting_count -- jobs of partitions that are not stopped
  local of_partition, depth, most = {}, params.partition_job_depth, params.sched_max_job_start
  local function stop(partition)
    stopped[partition] = true
    left = left - self.waiting[partition]
  end
  for job in view:waiting() do
    if left == 0 or tested >= params.default_queue_depth or (most > 0 and started >= most) then break end
    local partition = job.partition
    if stopped[partition] or self.delayed[job.id] then -- it waits
    elseif completing and completing:stops(partition, view.now) then stop(partition)
    elseif allowed and not allowed(job, view.now) then
      if params.assoc_limit_stop then stop(partition) end
    else
      tested = tested + 1
      of_partition[partition] = (of_partition[partition] or 0) + 1
      if depth > 0 and of_partition[partition] > depth then
        stop(partition)
      elseif view:fits(job) then
        left, started = left - 1, started + 1
        view:start(job)
      elseif self:preempt(view, job) then
        left, started = left - 1, started + 1
      elseif self:holds_up(job, view.now) then
        stop(partition)
      end
    end
  end
end

--- Whether a job that does not fit keeps those behind it waiting: not one that is too young for a reservation.
function Cycles:holds_up(job, now) return now - job.submit >= self.params.bf_min_age_reserve end

--- Which jobs that cannot start now hold a place in the plan; nil: all.
function Cycles:reserving(view)
  local params, now, of_partition = self.params, view.now, {}
  local most, least_priority, reserves = params.bf_job_part_count_reserve, params.bf_min_prio_reserve, self.reserves
  if most == 0 and least_priority == 0 and params.bf_min_age_reserve == 0 and not reserves then return nil end
  return function(job)
    if now - job.submit < params.bf_min_age_reserve or (reserves and not reserves(job)) then return false end
    if least_priority > 0 and self.priority(job) < least_priority then return false end
    of_partition[job.partition] = (of_partition[job.partition] or 0) + 1
    return most == 0 or of_partition[job.partition] <= most
  end
end

--- One run of the backfill scheduler.
function Cycles:backfill(view)
  local params, now, limits = self.params, view.now, {}
  local function limit(most, ...)
    if most > 0 then table.insert(limits, { most = most, ... }) end
  end
  limit(params.bf_max_job_user, "user")
  limit(params.bf_max_job_part, "partition")
  limit(params.bf_max_job_user_part, "user", "partition")
  limit(params.bf_max_job_assoc, "user", "group")
  local started = view:plan { depth = params.bf_max_job_test, limits = limits, window = params.bf_window * 60, whole_nodes = true,
              busy_nodes = params.bf_busy_nodes,
              starts = params.bf_max_job_start > 0 and params.bf_max_job_start or nil, resolution = params.bf_resolution,
              may_start = self:filter(now), may_hold = self:reserving(view) }
  self.changed = params.bf_max_job_start > 0 and started >= params.bf_max_job_start -- there may be more to start
end

--- The first run. Where jobs have started before it, on record, the daemon has been up for long, and its cycles go on.
function Cycles:take_over(now)
  self.ran = true
  if not self.has_history then return end
  local interval = self.params.bf_interval
  self.backfilled = self.backfilled + math.max(math.floor((now - self.backfilled + tolerance(now)) / interval), 0) * interval
end

--- What is due at this instant.
function Cycles:run(view)
  local now, params = view.now, self.params
  if not self.ran then self:take_over(now) end
  if view.submitted or view.ended then self.changed = true end
  if view.submitted and not self.asked then
    self.asked = math.max(self:next_look(now), self.asked_last + params.batch_sched_delay)
  end
  if self.delays > 0 then self:end_delays(now) end
  local main = view.ended
  if self.completing then main = self.completing:cleared(now) end
  if self.asked and reached(now, self.asked) then
    main, self.asked, self.asked_last = true, nil, now
  end
  if reached(now, self.full) then
    main = true
    self.full = self.full + (math.floor((now - self.full + tolerance(now)) / params.sched_interval) + 1) * params.sched_interval
  end
  local next_main = self.main_last + params.sched_min_interval / 1000000
  if main and not reached(now, next_main) then
    main, self.asked = false, math.min(self.asked or math.huge, next_main)
  end
  if main then
    self.main_last = now
    self:start_in_order(view)
  end
  if params.SchedulerType == "sched/backfill" and self.changed and reached(now, self:next_backfill()) then
    self:backfill(view)
    self.backfilled = now
  end
end

function Cycles:next_backfill()
  local next = self.backfilled + self.params.bf_interval
  return self.completing and math.max(next, self.completing:until_when()) or next
end

--- Asks for passes at the instants at which something may have to be done.
function Cycles:wake(view, calculation)
  if self.asked then view:wake(self.asked) end
  if view.waiting_count == 0 then return end
  view:wake(self.full)
  view:wake(calculation)
  local cleared = self.completing and self.completing:next_time(view.now)
  if cleared then view:wake(cleared) end
  if self.delays > 0 then view:wake(self:end_delays(view.now)) end
  if self.changed then view:wake(math.max(self:next_backfill(), self:next_look(view.now))) end
end

return cycles
