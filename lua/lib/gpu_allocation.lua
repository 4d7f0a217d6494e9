-- Which job has which GPUs, decided from scratch from time to time: jobs in an order, each on a kind of node or beside
-- a partner, and moved there with the work that they have done. After the rounds of Gavel (Narayanan et al. 2020).
--
--   local gpus = require "gpu_allocation"
--   return gpus.policy({ api = 1, name = ... , params = { ... } }, {
--     order = function(job, params) return job.limit end,      -- lowest first, asked when the job comes;
--                                                              without it: first come
--     running = "first",                                       -- jobs that run before those that wait; without
--                                                              it: by their order
--     rank = function(job, served, params) ... end,            -- of running jobs: an order that changes;
--                                                              served: GPU seconds so far
--     always = true,                                           -- also where nothing has changed but time, as
--                                                              long as jobs wait
--     allocate = function(units, view, params) ... end,        -- calls units:give(...); without it:
--                                                              units:give_fastest()
--     unplaced = "...",                                        -- why it gave the first job that waits nothing, for
--                                                              `coslice explain`; without it: that no kind had enough
--   })
--
-- GPUs are counted by kind of node (view:units); a job that is given some and does not fit anywhere waits, and those
-- behind it.
local module = {}

local tiny = 1e-6 -- instants are whole nanoseconds
local anew = "the policy looks again, and gives GPUs anew,"
local anew_if_changed = "the policy looks again, and gives GPUs anew if jobs have come or ended,"

local own_params = {
  round = { default = 360, min = 0,
    doc = "Length of a round, s: jobs start, move and stop at its end only; 0: at any time." },
  period = { default = 0, min = 0, doc = "GPUs are not given anew before so much time has passed, s." },
  restart = { default = 0, min = 0, doc = "What a job loses that is moved, or goes on after it was stopped, s." },
}

-- Whether GPUs are to be given anew, at the end of a round. If not, jobs of pairs of which the other one has ended wait
-- until they are.
local function is_time(self, view, units, params)
  local now, round, waits = view.now, params.round, view.waiting_count > 0
  local due = units:changed() or self.always and waits
  local soonest = self.last + params.period
  if round > 0 and (waits or units:running() > 0) then self.round_ends = now + round end
  if due and now >= soonest - tiny then return true end
  if due and round == 0 then view:wake(soonest, anew) end
  units:stop_widowed(params.restart)
  return false
end

local function give_anew(self, view, units, params)
  self.last = view.now
  units:plan(self.order)
  if self.allocate then self.allocate(units, view, params) else units:give_fastest() end
  -- Jobs that were stopped wait when this pass is over, and another one follows.
  self.moving = units:carry_out(params.restart)
end

-- What the policy does at the end of the round, for `coslice explain`.
local function at_end_of_round(self, params)
  if self.round_ends < self.last + params.period - tiny then return "the round ends, too early to give GPUs anew," end
  return self.always and anew or anew_if_changed
end

-- When to look again. Where nothing runs although GPUs were given just now, only what happens outside can help those
-- that wait: to wake for them would never end.
local function wake(self, view, units, params)
  local now, round, period = view.now, params.round, params.period
  if units:running() == 0 and not self.moving and self.last == now then return end
  if round > 0 and self.round_ends > now and self.woken ~= self.round_ends then
    view:wake(self.round_ends, at_end_of_round(self, params))
    self.woken = self.round_ends
  elseif round == 0 and period > 0 and self.always and self.last == now and view.waiting_count > 0 then
    view:wake(now + period, anew)
  end
end

local function schedule(self, view, params)
  local in_round = not self.moving and view.now < self.round_ends - tiny
  if in_round and self.woken == self.round_ends then return end
  local units = view:units "gpus"
  if self.moving then
    self.moving = false
    units:resume()
  elseif not in_round and is_time(self, view, units, params) then
    give_anew(self, view, units, params)
  end
  if self.last == view.now then self.first = view:head() and view:head().id end
  wake(self, view, units, params)
end

-- When GPUs are given anew, if they were not given just now; nil: nothing but a look at them is missing.
local function when_given(self, now, params)
  local soonest, round, period = self.last + params.period, params.round, params.period
  local in_round = now < self.round_ends - tiny
  -- All rounds until then have the same reason, and the one in which the period is over.
  if in_round and self.round_ends - round < soonest - tiny or now < soonest - tiny then
    return ("no sooner than %.15g s after the last time%s"):format(
      period, round > 0 and ", at the end of a round" or "")
  end
  return in_round and "at the ends of rounds" or nil
end

-- Why a job waits that the GPUs are there for. What was decided when GPUs were given holds until they are given anew:
-- who had to wait then, and those behind. For the first of them GPUs may be there by now, and others may have come.
local function reason(self, view, job, params)
  local waited = job.submit <= self.last
  if self.last < view.now and (not waited or job.id == self.first and view:units("gpus"):changed()) then
    local when = when_given(self, view.now, params)
    if when then return nil, "enough was free, but GPUs are given anew " .. when end
  end
  if self.first and self.first ~= job.id then
    return nil, ("job %d before it had to wait when GPUs were given, and no job passes another")
      :format(self.first)
  end
  return nil, self.unplaced or "no kind of node had left what it asks for when GPUs were given"
end

--- Completes a policy that gives GPUs: its hooks, `placement`, and the parameters round, period and restart.
---@param policy table Fields of the policy.
---@param how { order?: function, running?: string, rank?: function, always?: boolean, allocate?: function,
---  unplaced?: string }
function module.policy(policy, how)
  local self -- of a run
  policy.params = policy.params or {}
  for name, param in pairs(own_params) do policy.params[name] = policy.params[name] or param end
  policy.placement, policy.units = "first", "gpus"
  policy.key = how.order or function(job) return job.submit end
  policy.begin = function(view, params)
    view:units "gpus"
    local running = how.running
    if type(running) == "function" then running = running(params) end
    local rank = how.rank and function(job, served) return how.rank(job, served, params) end
    self = { always = how.always, allocate = how.allocate, unplaced = how.unplaced,
      order = { running = running, rank = rank }, round_ends = -math.huge, last = -math.huge, moving = false }
  end
  policy.schedule = function(view, params) schedule(self, view, params) end
  policy.reason = function(view, job, params) return reason(self, view, job, params) end
  return policy
end

return module
