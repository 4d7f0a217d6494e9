-- Slurm's two schedulers, and when they run.
--
-- The main scheduler goes through the queue by priority, and starts what fits; a job that does not fit stops those of its
-- partition. It runs when a job has ended, soon after a submission, and every `sched_interval`. The backfill scheduler plans
-- all jobs by priority, each at its earliest beside those before it, on whole nodes even if the job asks for parts of them,
-- and starts those whose turn is now; its plan is forgotten at its end. It runs every `bf_interval`, if anything has
-- happened since.
local cycles = {}

-- Instants are whole nanoseconds; sums of seconds may miss them by less.
local function reached(now, time) return now > time - 1e-9 end

local Cycles = {}
Cycles.__index = Cycles

--- `allowed` says whether limits let a job start now, nil: there are none; `first` is the instant at which the daemon came up.
---@param params coslice.Params
---@param first number s
---@param allowed? fun(job: coslice.Job): boolean
function cycles.new(params, first, allowed)
  return setmetatable({ params = params, first = first, allowed = allowed, full = first + params.sched_interval, asked_last = -math.huge,
                        backfilled = first, changed = true, waiting = {}, running = {} }, Cycles)
end

--- The job waits from now on, or no longer.
function Cycles:comes(job) self.waiting[job.partition] = (self.waiting[job.partition] or 0) + 1 end
function Cycles:goes(job) self.waiting[job.partition] = self.waiting[job.partition] - 1 end

--- The job runs from now on, or no longer.
function Cycles:starts(job) self.running[job.tier] = (self.running[job.tier] or 0) + 1 end
function Cycles:ends(job) self.running[job.tier] = self.running[job.tier] - 1 end

--- Whether jobs of a lower tier run.
function Cycles:has_lower(tier)
  for other, jobs in pairs(self.running) do
    if other < tier and jobs > 0 then return true end
  end
  return false
end

--- The next instant after `time` at which the daemon looks for work, which it does once a second.
function Cycles:next_look(time) return self.first + math.floor(time - self.first + 1e-9) + 1 end

--- Starts the job on nodes that jobs of lower tiers have to leave, if that is how the site is set up.
function Cycles:preempt(view, job)
  if not self.preempts or not self:has_lower(job.tier) then return false end
  return (view:preempt(job, { among = function(other) return other.tier < job.tier end, how = self.preempts }))
end

--- One run of the main scheduler.
function Cycles:start_in_order(view)
  local stopped, tested, left = {}, 0, view.waiting_count -- jobs of partitions that are not stopped
  local of_partition, depth = {}, self.params.partition_job_depth
  local function stop(partition)
    stopped[partition] = true
    left = left - self.waiting[partition]
  end
  for job in view:waiting() do
    if left == 0 or tested >= self.params.default_queue_depth then break end
    if not stopped[job.partition] and (not self.allowed or self.allowed(job)) then
      tested = tested + 1
      of_partition[job.partition] = (of_partition[job.partition] or 0) + 1
      if depth > 0 and of_partition[job.partition] > depth then
        stop(job.partition)
      elseif view:fits(job) then
        left = left - 1
        view:start(job)
      elseif self:preempt(view, job) then
        left = left - 1
      else
        stop(job.partition)
      end
    end
  end
end

--- One run of the backfill scheduler.
function Cycles:backfill(view)
  local params, limits = self.params, {}
  local function limit(most, ...)
    if most > 0 then table.insert(limits, { most = most, ... }) end
  end
  limit(params.bf_max_job_user, "user")
  limit(params.bf_max_job_part, "partition")
  view:plan { depth = params.bf_max_job_test, limits = limits, window = params.bf_window * 60, whole_nodes = true,
              may_start = self.allowed }
end

--- What is due at this instant.
function Cycles:run(view)
  local now, params = view.now, self.params
  if view.submitted or view.ended then self.changed = true end
  if view.submitted and not self.asked then
    self.asked = math.max(self:next_look(now), self.asked_last + params.batch_sched_delay)
  end
  local main = view.ended
  if self.asked and reached(now, self.asked) then
    main, self.asked, self.asked_last = true, nil, now
  end
  if reached(now, self.full) then
    main = true
    self.full = self.full + (math.floor((now - self.full + 1e-9) / params.sched_interval) + 1) * params.sched_interval
  end
  if main then self:start_in_order(view) end
  if params.SchedulerType == "sched/backfill" and self.changed and reached(now, self:next_backfill()) then
    self:backfill(view)
    self.backfilled, self.changed = now, false
  end
end

function Cycles:next_backfill() return self.backfilled + self.params.bf_interval end

--- Asks for passes at the instants at which something may have to be done.
function Cycles:wake(view, calculation)
  if self.asked then view:wake(self.asked) end
  if view.waiting_count == 0 then return end
  view:wake(self.full)
  view:wake(calculation)
  if self.changed then view:wake(math.max(self:next_backfill(), self:next_look(view.now))) end
end

return cycles
