-- GPUs that a policy divides into slices (`machine.nodes.slices`), and the jobs on them.
--
--   local divided = require "divided_gpus"
--   return divided.policy({ api = 1, name = ..., version = ... }, function(gpus, view, params) ... end)
--
-- The function plans in each pass what is to be on the GPUs: gpus:alone(r), gpus:divide(gpu, division, r). Then jobs whose slices
-- are other ones stop, and those that wait start. A job is seen as a record: job, id, submit, kinds (those on which it runs, the
-- fastest first), slices (by name of the kind: speeds by parts), gpu and slice (that it has or is to have), runs_in (its slice
-- while it runs). A GPU has: kind, jobs (records, in the order in which they came), sum (of their speeds), lost (a job of it has
-- ended, and nothing was decided since: gpus:left_over()). Free GPUs are counted by kind of node; a job that is to have some, and for
-- which there is no room on their nodes, is planned anew.
local mig = require "mig"

local Gpus = {}
Gpus.__index = Gpus

-- Layouts by how many parts a GPU has.
local layouts = { [4] = mig.a30, [7] = mig.a100 }

-- --- jobs

function Gpus:record(job)
  local r = self.records[job.id]
  if not r then
    r = { id = job.id, submit = job.submit, refused = {} }
    self.records[job.id] = r
  end
  r.job = job
  return r
end

-- Which jobs are alike: those with the same speeds.
local function type_of(self, r)
  local types = self.types
  for _, kind in ipairs(self.kinds) do
    local slices = r.slices[kind.name]
    for parts = 1, kind.slices do
      local speed = slices and slices[parts] or 0
      types[speed] = types[speed] or {}
      types = types[speed]
    end
  end
  if not types.number then
    self.type_count = self.type_count + 1
    types.number = self.type_count
  end
  return types.number
end

-- The speeds of a job, looked up when it is first considered.
local function look_up(self, view, r)
  local asked = view:request(r.job)
  r.gpus = asked.gpus * asked.nodes
  r.kinds, r.slices = {}, {}
  local whole = {}
  for _, kind in ipairs(self.kinds) do
    local speed = kind.nodes >= asked.nodes and kind.gpus >= asked.gpus and view:speed(r.job, kind.name) or 0
    if speed > 0 then
      whole[kind.name] = speed
      local at = #r.kinds + 1
      while at > 1 and whole[r.kinds[at - 1].name] < speed do at = at - 1 end
      table.insert(r.kinds, at, kind)
      for parts, slice_speed in ipairs(view:slice_speeds(r.job, kind.name)) do
        if slice_speed > 0 then
          r.slices[kind.name] = r.slices[kind.name] or {}
          r.slices[kind.name][parts] = slice_speed
        end
      end
    end
  end
  r.type = type_of(self, r)
  return r
end

--- The waiting jobs in order, as records.
function Gpus:waiting(view)
  local next_job = view:waiting()
  return function()
    local job = next_job()
    local r = job and self.records[job.id]
    return r and (r.type and r or look_up(self, view, r))
  end
end

-- --- what is on a GPU

local function speed_in(r, gpu, parts) return r.slices[gpu.kind.name][parts] end

-- The jobs on it are other ones. `key` says which, and what of that is not to be planned anew.
local function changed(gpu)
  local sum, key = 0, gpu.kind.name
  for _, r in ipairs(gpu.jobs) do
    sum = sum + speed_in(r, gpu, r.slice)
    key = key .. " " .. r.type .. ":" .. (r.runs_in or "")
  end
  gpu.sum, gpu.key = sum, key
end

local function position(list, x)
  for i, y in ipairs(list) do
    if x == y then return i end
  end
end

local function remove(self, r)
  local gpu = r.gpu
  table.remove(gpu.jobs, position(gpu.jobs, r))
  r.gpu = nil
  if #gpu.jobs == 0 then
    table.remove(self.list, position(self.list, gpu))
    self.used[gpu.kind.name] = self.used[gpu.kind.name] - 1
  else
    changed(gpu)
    gpu.lost = true
    self.lost[#self.lost + 1] = gpu
  end
end

--- The GPUs on which a job has ended, and nothing was decided since; it is now.
function Gpus:left_over()
  if #self.lost == 0 then return self.lost end
  local list = {}
  for _, gpu in ipairs(self.lost) do
    if gpu.lost and #gpu.jobs > 0 then list[#list + 1] = gpu end
    gpu.lost = false
  end
  self.lost = {}
  return list
end

-- --- the best division

-- Of equally good divisions the one that leaves the most jobs in their slices; with `keep` all of them.
local function speeds_of(gpu, r, keep)
  local speeds = r.slices[gpu.kind.name]
  if not r.runs_in then return speeds end
  if keep then return { [r.runs_in] = speeds[r.runs_in] } end
  local preferred = table.copy(speeds)
  preferred[r.runs_in] = preferred[r.runs_in] + 1e-9
  return preferred
end

--- The division of the GPU with the largest sum of speeds of its jobs, and of `guest`, a record that waits (nil: none): `sum`, and
--- `slices` by job, the guest's is the last one. Nil: there is none with a slice for each. With `keep` those that run keep theirs.
function Gpus:best(gpu, guest, keep)
  if guest and not guest.slices[gpu.kind.name] then return nil end
  local type = guest and guest.type or 0
  local known = self.known[type] or {}
  self.known[type] = known
  local best = known[gpu.key]
  if best ~= nil then return best or nil end
  local mix, jobs = {}, table.copy(gpu.jobs)
  for i, r in ipairs(jobs) do mix[i] = speeds_of(gpu, r, keep) end
  if guest then
    mix[#mix + 1], jobs[#jobs + 1] = guest.slices[gpu.kind.name], guest
  end
  best = mig.best(mix, layouts[gpu.kind.slices]) or false
  if best then
    best.sum = 0
    for i, r in ipairs(jobs) do best.sum = best.sum + speed_in(r, gpu, best.slices[i]) end
  end
  known[gpu.key] = best
  return best or nil
end

--- Whether the job has tried to join the GPU in vain, and no job has ended since: it would make others stop for nothing.
function Gpus:refused(gpu, r) return r.refused[gpu] == self.ends end

-- The same of free GPUs of a kind, just now.
local function not_free(self, kind, r) return r.refused[kind] == self.now end

-- --- the plan

local function add(gpu, r, parts)
  gpu.jobs[#gpu.jobs + 1] = r
  r.gpu, r.slice = gpu, parts
end

local function hold(self, r, kind, gpus)
  r.holds = r.holds or {}
  r.holds[kind.name] = gpus
  self.used[kind.name] = self.used[kind.name] + gpus
end

--- Jobs on the GPU are to have the slices of the division, and so is the guest, if there is one.
function Gpus:divide(gpu, division, guest)
  for i, r in ipairs(gpu.jobs) do
    r.slice = division.slices[i]
    self.leaving = self.leaving or r.runs_in and r.runs_in ~= r.slice
  end
  if guest then
    add(gpu, guest, division.slices[#division.slices])
    gpu.lost = false
    self.coming[#self.coming + 1] = guest
  end
  changed(gpu)
end

--- The job is to have GPUs for itself, the fastest that are free; a job without GPUs runs wherever it fits, and so does one that no
--- kind is large enough for. False: there are none.
function Gpus:alone(r)
  if r.gpus > 0 and #r.kinds > 0 then
    local free
    for _, kind in ipairs(r.kinds) do
      free = not not_free(self, kind, r) and kind.nodes * kind.gpus - self.used[kind.name] >= r.gpus and kind
      if free then break end
    end
    if not free then return false end
    r.kind = free
    if r.slices[free.name] then
      local gpu = { kind = free, jobs = {} }
      add(gpu, r, free.slices)
      changed(gpu)
      self.list[#self.list + 1] = gpu
      self.used[free.name] = self.used[free.name] + 1
    else
      hold(self, r, free, r.gpus)
    end
  elseif not_free(self, "any", r) then
    return false
  end
  self.coming[#self.coming + 1] = r
  return true
end

-- --- carrying it out

local function release(self, r)
  for name, gpus in pairs(r.holds or {}) do self.used[name] = self.used[name] - gpus end
  r.holds = nil
end

-- Where the job is to start: beside those that run on its GPU, or on GPUs that no other job has.
local function place_of(r)
  if r.gpus == 0 then return nil end
  if not r.gpu then return { kind = r.kind and r.kind.name, alone = true } end
  for _, other in ipairs(r.gpu.jobs) do
    if other.runs_in then return { beside = other.job } end
  end
  return { kind = r.gpu.kind.name, alone = true }
end

local function start(self, view, r)
  local gpu, place = r.gpu, place_of(r)
  if gpu then view:set_slice(r.job, gpu.kind.name, r.slice) elseif r.sliced then view:set_slice(r.job) end
  r.sliced = gpu ~= nil
  if not view:fits(r.job, place) then
    if place and place.beside then r.refused[gpu] = self.ends else r.refused[r.kind or "any"] = self.now end
    if gpu then remove(self, r) end
    release(self, r)
    r.kind = nil
    self.again = true
    return
  end
  if r.why then view:because(r.job, r.why) end
  view:start(r.job, place)
  r.why = nil
  if gpu then
    r.runs_in = r.slice
    changed(gpu)
  elseif r.gpus > 0 and not r.kind then
    for i, has in ipairs(view:placed(r.job)) do
      if has.gpus > 0 then hold(self, r, self.kinds[i], has.gpus) end
    end
  end
end

local function start_coming(self, view)
  local coming = self.coming
  self.coming = {}
  for _, r in ipairs(coming) do start(self, view, r) end
end

-- Those that stop wait when this pass is over, and another one follows.
local function carry_out(self, view)
  if not self.leaving then return start_coming(self, view) end
  local stopped = {}
  for _, gpu in ipairs(self.list) do
    for _, r in ipairs(gpu.jobs) do
      if r.runs_in and r.runs_in ~= r.slice then stopped[#stopped + 1] = r end
    end
  end
  self.stopping = true
  for _, r in ipairs(stopped) do
    r.runs_in = nil
    view:requeue(r.job, { checkpoint = true, restart = self.params.restart })
  end
  self.stopping, self.leaving, self.moving = false, nil, true
  for _, r in ipairs(self.coming) do stopped[#stopped + 1] = r end -- one that does not fit does not keep others out
  self.coming = stopped
end

-- --- hooks

local function ended(self, job)
  if self.stopping then return end
  local r = self.records[job.id]
  release(self, r)
  if r.gpu then remove(self, r) end
  self.ends = self.ends + 1
  self.records[job.id] = nil
end

local function begin(self, view, params)
  self.kinds, self.params = view:kinds(), params
  for _, kind in ipairs(self.kinds) do
    self.used[kind.name] = 0
    if kind.slices > 0 and not layouts[kind.slices] then
      error(("GPUs of '%s' have %d slices: layouts are known of GPUs with 4 and 7"):format(kind.name, kind.slices), 0)
    end
  end
end

local function schedule(self, view, params, plan)
  self.now = view.now
  if self.moving then
    self.moving = false
    start_coming(self, view)
  end
  repeat -- what did not fit leaves something to others
    self.again = false
    plan(self, view, params)
    carry_out(self, view)
  until not self.again
end

local module = {}

--- Completes a policy that divides GPUs: its hooks, `placement`, and the parameter restart. First come, first served.
---@param policy table Fields of the policy.
---@param plan function Says in a pass what is to be: plan(gpus, view, params).
function module.policy(policy, plan)
  local self = setmetatable({
    records = {}, types = {}, type_count = 0, list = {}, coming = {}, used = {}, known = {}, lost = {}, ends = 0,
  }, Gpus)
  policy.params = policy.params or {}
  policy.params.restart = { default = 30, min = 0, doc = "What a job loses that stops and goes on in another slice, s." }
  policy.placement = "first"
  policy.key = function(job) return self:record(job).submit end
  policy.begin = function(view, params) begin(self, view, params) end
  policy.ended = function(_, job) ended(self, job) end
  policy.schedule = function(view, params) schedule(self, view, params, plan) end
  return policy
end

return module
