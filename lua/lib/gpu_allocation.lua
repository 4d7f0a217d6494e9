-- Which job has which GPUs, decided from scratch from time to time: jobs in an order, each on a kind of node or beside a
-- partner, and moved there with the work that they have done. After the rounds of Gavel (Narayanan et al. 2020).
--
--   local gpus = require "gpu_allocation"
--   return gpus.policy({ api = 1, name = ... , params = { ... } }, {
--     order = function(r, now, params) return r.submit end,    -- lowest first, of running and of waiting jobs
--     fixed = true,                                            -- the order does not change with time
--     allocate = function(gpus, view, params) ... end,         -- calls gpus:give(...); without it, gpus:give_in_order(view)
--   })
--
-- A job is seen as a record: job, id, submit, limit, gpus (that it asks for), share (of each), application, running,
-- kind (its number, while it runs), host or guest (the record of its partner), served (GPU seconds up to its last start).
-- GPUs are counted by kind of node; a job that is given some and does not fit anywhere waits, and those behind it.
-- An allocation is a walk along the jobs in their order, up to one that gets nothing. What it decides for a job depends on those
-- before that one only, so that it begins where something has changed.
local Allocation = {}
Allocation.__index = Allocation

local tiny = 1e-6 -- instants are whole nanoseconds

local params = {
  round = { default = 360, min = 0, doc = "Length of a round, s: jobs start, move and stop at its end only; 0: at any time." },
  period = { default = 0, min = 0, doc = "GPUs are not given anew before so much time has passed, s." },
  restart = { default = 0, min = 0, doc = "What a job loses that is moved, or goes on after it was stopped, s." },
}

-- --- records

function Allocation:record(job)
  local r = self.records[job.id]
  if not r then
    r = { id = job.id, submit = job.submit, limit = job.limit, application = job.application, served = 0 }
    self.records[job.id] = r
  end
  r.job = job
  return r
end

-- What the job asks for, its speed on each kind of node, and the kinds on which it runs, the fastest first; looked up when it is
-- first considered.
local function look_up(self, view, r)
  local asked = view:request(r.job)
  r.gpus, r.share = asked.gpus * asked.nodes, asked.gpu_share
  r.speed, r.prefers = {}, {}
  for k, kind in ipairs(self.kinds) do
    local large = kind.nodes >= asked.nodes and kind.gpus >= asked.gpus
    local speed = large and view:speed(r.job, kind.name) or 0
    r.speed[k] = speed
    if speed > 0 then
      local at = #r.prefers + 1
      while at > 1 and r.speed[r.prefers[at - 1]] < speed do at = at - 1 end
      table.insert(r.prefers, at, k)
    end
  end
  r.anywhere = r.gpus == 0 or #r.prefers == 0
  return r
end

--- GPU seconds that the job has had.
function Allocation:served(r, now)
  return r.running and r.served + (now - r.start) * r.gpus or r.served
end

local function before(a, b)
  if a.rank ~= b.rank then return a.rank < b.rank end
  if a.submit ~= b.submit then return a.submit < b.submit end
  return a.id < b.id
end

-- Puts r where it belongs among the first j of the list, which are in order.
local function insert(list, r, j)
  while j > 0 and before(r, list[j]) do
    list[j + 1] = list[j]
    j = j - 1
  end
  list[j + 1] = r
end

-- The running jobs by rank. Where that changes with time, they are nearly in order most of the time.
local function ranked(self, now)
  local running = self.running
  if self.fixed then return running end
  local order, given = self.order, self.params
  for i = 1, #running do
    local r = running[i]
    r.rank = order(r, now, given)
  end
  for i = 2, #running do insert(running, running[i], i - 1) end
  return running
end

--- The running and the waiting jobs in the policy's order, as records.
function Allocation:in_order(view)
  local running, i = ranked(self, view.now), self.kept + 1
  local waiting, records = view:waiting(), self.records
  local function next_waiting()
    local job = waiting()
    local r = job and records[job.id]
    return r and (r.speed and r or look_up(self, view, r))
  end
  local first = next_waiting()
  return function()
    local r = running[i]
    if r and (not first or before(r, first)) then
      i = i + 1
    else
      r = first
      if first then first = next_waiting() end
    end
    self.reached = r
    return r
  end
end

-- --- giving GPUs

--- The kind on which the job is fastest, of those that have enough GPUs left; nil if none has.
function Allocation:fastest(r)
  local left, gpus, prefers = self.left, r.gpus, r.prefers
  for i = 1, #prefers do
    local k = prefers[i]
    if left[k] >= gpus then return k end
  end
  return nil
end

--- The job is to have GPUs of that kind for itself; or with `host`, a record that has GPUs already, to share them with it. A job
--- that asks for no GPUs is to run wherever it fits, and so is one that no kind is large enough for. False: it runs where others
--- are to have the GPUs, and has to wait.
function Allocation:give(r, kind, host)
  local left = self.left
  if kind and not host then left[kind] = left[kind] - r.gpus end
  if r.spread and r.running then -- on GPUs of several kinds
    for k, gpus in ipairs(r.spread) do
      if left[k] < gpus then return false end
    end
    for k, gpus in ipairs(r.spread) do left[k] = left[k] - gpus end
  end
  r.given, r.to_kind, r.to_host = self.time, kind, host
  self.chosen[#self.chosen + 1] = r
  return true
end

--- The jobs that have GPUs by now, in order.
function Allocation:given()
  local list = table.move(self.running, 1, self.kept, 1, {})
  return table.move(self.chosen, 1, #self.chosen, #list + 1, list)
end

--- Each job in order on its fastest kind, until one finds none.
function Allocation:give_in_order(view)
  for r in self:in_order(view) do
    local kind = not r.anywhere and self:fastest(r) or nil
    if not kind and not r.anywhere or not self:give(r, kind) then return end
  end
end

-- --- from the old allocation to the new one

local function stays(self, r)
  if r.given ~= self.time then return false end
  return r.gpus == 0 or r.kind == r.to_kind and r.host == r.to_host
end

local function stop(self, view, list)
  self.stopping = true
  for _, r in ipairs(list) do
    r.stopped = self.time
    view:requeue(r.job, { checkpoint = true, restart = self.params.restart })
  end
  self.stopping = false
end

local function start(self, view, r)
  local where = r.to_host and { beside = r.to_host.job } or r.to_kind and { kind = self.kinds[r.to_kind].name, alone = true }
  if r.to_host and not r.to_host.running or not view:fits(r.job, where) then return false end
  if r.to_host and r.why then view:because(r.job, r.why) end
  view:start(r.job, where)
  r.kind, r.host, r.spread = r.to_kind, r.to_host, nil
  if r.host then r.host.guest = r end
  if r.anywhere and r.gpus > 0 then
    r.spread = {}
    for k, of_kind in ipairs(view:placed(r.job)) do r.spread[k] = of_kind.gpus end
    self.surprised = true -- which GPUs it would get was not known when others were given theirs
  end
  return true
end

-- Behind a job that does not fit, only those go on that had to stop for the new allocation.
local function start_chosen(self, view)
  local chosen, blocked = self.chosen, false
  self.chosen = {}
  for _, r in ipairs(chosen) do
    if not r.running and not (blocked and r.stopped ~= self.time) and not start(self, view, r) then
      self.changed, blocked = true, true
    end
  end
  self.settled, self.surprised = self.fixed and not blocked and not self.surprised, false
  self.sound = self.settled and #self.running or 0
  self.firm = self.sound
end

local function carry_out(self, view)
  local leaving, running = {}, self.running
  for i = self.kept + 1, #running do
    local r = running[i]
    if not stays(self, r) and r.gpus > 0 then leaving[#leaving + 1] = r end
  end
  if #leaving == 0 then return start_chosen(self, view) end
  stop(self, view, leaving)
  self.moving = true -- they wait when this pass is over, and another one follows
end

-- --- when

-- Jobs of pairs of which the other one has ended wait until GPUs are given anew.
local function stop_widowed(self, view)
  local list = {}
  for _, r in ipairs(self.widowed) do
    if r.running then list[#list + 1] = r end
  end
  self.widowed = {}
  if #list > 0 then stop(self, view, list) end
end

-- Whether GPUs are to be given anew now.
local function is_time(self, view)
  local now, round = view.now, self.params.round
  if now < self.round_ends - tiny then return false end
  local due = self.changed or self.always and view.waiting_count > 0
  local soonest = self.last + self.params.period
  if round > 0 and (#self.running > 0 or view.waiting_count > 0) then self.round_ends = now + round end
  if due and now >= soonest - tiny then return true end
  if due and round == 0 then view:wake(soonest) end
  stop_widowed(self, view)
  return false
end

-- When to look again. Where nothing runs although GPUs were given just now, only what happens outside can help those that wait:
-- to wake for them would never end.
local function wake(self, view)
  if #self.running == 0 and not self.moving and self.last == view.now then return end
  local now, round, period = view.now, self.params.round, self.params.period
  if round > 0 and self.round_ends > now and self.woken ~= self.round_ends then
    view:wake(self.round_ends)
    self.woken = self.round_ends
  elseif round == 0 and period > 0 and self.always and self.last == now and view.waiting_count > 0 then
    view:wake(now + period)
  end
end

-- Whether all that came since the last allocation stands behind that job.
local function all_behind(self, r)
  for _, fresh in ipairs(self.fresh) do
    if before(fresh, r) then return false end
  end
  return true
end

-- Since the last allocation, which was carried out, jobs have come and none has ended, and all stand behind the first one that
-- got nothing.
local function nothing_changes(self) return self.settled and self.reached and all_behind(self, self.reached) end

-- Those that run, in their order, up to the first place where something has come or gone wrong since the last allocation get
-- what they have: what was decided for them depends on those before them only. Behind the first one that has ended, that is so of
-- jobs that are alone on their fastest kind.
local function keep_first(self)
  local running, left, n, firm = self.running, self.left, self.sound, self.firm
  for _, fresh in ipairs(self.fresh) do
    while n > 0 and before(fresh, running[n]) do n = n - 1 end
  end
  for i = 1, n do
    local r = running[i]
    local kind = r.kind
    if r.host or r.spread or i > firm and kind and kind ~= r.prefers[1] then
      n = i - 1
      break
    end
    if kind then left[kind] = left[kind] - r.gpus end
  end
  self.chosen, self.kept = {}, n
end

local function pass(self, view)
  if self.moving then
    self.moving = false
    return start_chosen(self, view)
  end
  if not is_time(self, view) then return end
  self.changed, self.last, self.time, self.widowed = false, view.now, self.time + 1, {}
  local as_before = nothing_changes(self)
  if not as_before then
    self.left = {}
    for k, kind in ipairs(self.kinds) do self.left[k] = kind.nodes * kind.gpus end
    keep_first(self)
  end
  self.fresh = {}
  if as_before then return end
  self.settled = false
  if self.allocate then self.allocate(self, view, self.params) else self:give_in_order(view) end
  carry_out(self, view)
end

function Allocation:schedule(view)
  pass(self, view)
  wake(self, view)
end

-- --- hooks

function Allocation:submitted(job)
  local r = self:record(job)
  if self.moving then return end
  self.changed = true
  self.fresh[#self.fresh + 1] = r
end

function Allocation:started(view, job)
  local r = self.records[job.id]
  r.job, r.running, r.start = job, true, view.now
  if not self.fixed then
    self.running[#self.running + 1] = r
    return
  end
  local rank = self.order(r, view.now, self.params)
  if rank ~= r.rank then self.surprised = true end -- it has another place in the order now
  r.rank = rank
  insert(self.running, r, #self.running)
end

local function part(self, r, mate)
  if not mate then return end
  mate.host, mate.guest, r.host, r.guest = nil, nil, nil, nil
  if not self.stopping then self.widowed[#self.widowed + 1] = mate end
end

function Allocation:ended(view, job)
  local r = self.records[job.id]
  r.served, r.running = self:served(r, view.now), false
  local running = self.running
  for i = 1, #running do -- as ipairs calls a function each time
    if running[i] == r then
      table.remove(running, i)
      if i <= self.sound then self.sound, self.firm = self.sound - 1, math.min(self.firm, i - 1) end
      break
    end
  end
  part(self, r, r.host or r.guest)
  self.settled = false
  if self.stopping then return end
  self.records[job.id] = nil
  self.changed = true
end

local module = { params = params }

--- Completes a policy that gives GPUs: its hooks, `placement`, and the parameters round, period and restart.
---@param policy table Fields of the policy.
---@param how { order: function, allocate?: function, fixed?: boolean, always?: boolean } `fixed`: the order of two jobs depends on
---them and on whether they run, and not on the time. `always`: GPUs are also given anew where nothing has changed but time, as
---long as jobs wait.
function module.policy(policy, how)
  local self = setmetatable({
    records = {}, running = {}, chosen = {}, widowed = {}, fresh = {}, sound = 0, firm = 0, kept = 0, time = 0,
    round_ends = -math.huge, last = -math.huge,
    kinds = {}, order = how.order, allocate = how.allocate, fixed = how.fixed or false, always = how.always,
  }, Allocation)
  policy.params = policy.params or {}
  for name, param in pairs(params) do policy.params[name] = policy.params[name] or param end
  policy.placement = "first"
  policy.key = function(job, given)
    local r = self:record(job)
    r.rank = how.order(r, job.submit, given)
    return r.rank
  end
  policy.begin = function(view, given) self.kinds, self.params = view:kinds(), given end
  policy.submitted = function(_, job) self:submitted(job) end
  policy.started = function(view, job) self:started(view, job) end
  policy.ended = function(view, job) self:ended(view, job) end
  policy.schedule = function(view) self:schedule(view) end
  return policy
end

return module
