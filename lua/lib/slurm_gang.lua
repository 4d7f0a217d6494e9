-- Slurm's gang scheduler (PreemptMode=GANG): jobs of a partition that have the same cores take turns, each for
-- SchedulerTimeSlice, and jobs of a partition of a lower tier stand still as long as one of a higher tier has their
-- cores. A job that stands still keeps its place and its memory.
--
-- Each partition has a list of its jobs, and of these a row that runs: jobs that have no core in common, nor with jobs
-- of higher tiers that run, which cast their shadows on it. A job that comes joins the row if it can (a filler). When a
-- time slice is over, those that have had their turn go to the end of the list, and the row is made anew of the first.
--
--   local gang = require("slurm_gang").new(params, mode)   -- nil: jobs do not take turns
--   gang:starts(view, job); gang:ends(view, job)           -- in the hooks
--   gang:run(view)                                         -- in each pass, before others decide
--   gang:settle(view)                                      -- and after them: jobs are suspended, and go on
local tolerance = require("slurm_instants").tolerance

local Gang = {}
Gang.__index = Gang
local gang = {}

--- Whether jobs take turns on cores, or stand still for others.
---@param params coslice.Params
function gang.enabled(params) return string.find(string.upper(params.PreemptMode), "GANG", 1, true) ~= nil end

--- `mode` says of a job what becomes of it when another one has its cores: "requeue" or "kill"; else it stands still.
---@param params coslice.Params
---@param mode fun(job: coslice.Job): string?
function gang.new(params, mode)
  if not gang.enabled(params) then return nil end
  return setmetatable({ mode = mode, slice = params.SchedulerTimeSlice, first = params.slurmctld_start, parts = {},
    by_name = {}, entries = {}, changed = {}, still = 0 }, Gang)
end

--- The partition in which the job runs; of higher tiers first. A machine without partitions is one.
function Gang:part_of(view, job)
  local name, tier = view:partition(job)
  name, tier = name or "", tier or 1
  local part = self.by_name[name]
  if part then return part end
  part = { tier = tier, jobs = {}, shadows = {}, active = 0 }
  self.by_name[name] = part
  local at = 1
  while self.parts[at] and self.parts[at].tier >= part.tier do
    for _, entry in ipairs(self.parts[at].jobs) do
      if entry.casts and entry.part.tier > part.tier then table.insert(part.shadows, entry) end
    end
    at = at + 1
  end
  part.active = #part.shadows
  table.insert(self.parts, at, part)
  return part
end

local function remove(list, entry)
  for i, other in ipairs(list) do
    if other == entry then return table.remove(list, i) end
  end
end

--- Jobs of lower tiers that have its cores stand still, or do so no longer.
function Gang:cast_shadow(entry)
  if entry.casts then return end
  entry.casts = true
  for _, part in ipairs(self.parts) do
    if part.tier < entry.part.tier then table.insert(part.shadows, entry) end
  end
end
function Gang:clear_shadow(entry)
  if not entry.casts then return end
  entry.casts = nil
  for _, part in ipairs(self.parts) do
    if part.tier < entry.part.tier then remove(part.shadows, entry) end
  end
end

function Gang:stands_still(entry)
  if not entry.runs then return end
  local how = #entry.part.shadows > 0 and self.mode(entry.job)
  entry.leaves = (how == "requeue" or how == "kill") and how or nil
  entry.runs, self.still = false, self.still + 1
  table.insert(self.changed, entry)
  self:clear_shadow(entry)
end
function Gang:goes_on(entry)
  if entry.runs then return end
  entry.runs, self.still = true, self.still - 1
  table.insert(self.changed, entry)
end

--- Which of the entries of a list are in the row, one after the other, beside those that are there in any case.
local function row_of(view, sure, list)
  local jobs = {}
  for _, entry in ipairs(sure) do table.insert(jobs, entry.job) end
  for _, entry in ipairs(list) do table.insert(jobs, entry.job) end
  local fit, found = view:side_by_side(jobs, #sure), {}
  for i = 1, #list do found[i] = fit[#sure + i] end
  return found
end

--- Those of the partition's jobs that are so, in their order.
local function those(part, row)
  local found = {}
  for _, entry in ipairs(part.jobs) do
    if entry.row == row then table.insert(found, entry) end
  end
  return found
end

--- The row anew, without a change of the order: those that are in it first, then all that fit beside them.
function Gang:update(view, part)
  local list = those(part, "active")
  for _, entry in ipairs(those(part, "filler")) do table.insert(list, entry) end
  for _, entry in ipairs(those(part, "none")) do table.insert(list, entry) end
  local fit, active = row_of(view, part.shadows, list), #part.shadows
  for i, entry in ipairs(list) do
    if fit[i] then
      active = active + 1
      if entry.row == "none" then entry.row = "filler" end
      self:cast_shadow(entry)
      self:goes_on(entry)
    else
      entry.row = "none"
      self:stands_still(entry)
    end
  end
  part.active = active
end

--- Partitions of high tiers first: their jobs cast shadows on the others.
function Gang:update_all(view)
  for _, part in ipairs(self.parts) do self:update(view, part) end
end

--- Whether it matters that a job of the partition runs or has gone: some job stands still, or might have to.
function Gang:matters(part)
  if self.still > 0 then return true end
  local last = self.parts[#self.parts]
  return last.tier < part.tier
end

function Gang:starts(view, job)
  local part = self:part_of(view, job)
  local entry = { job = job, part = part, row = "none", runs = true }
  self.entries[job.id] = entry
  local list = those(part, "active")
  for _, other in ipairs(those(part, "filler")) do table.insert(list, other) end
  table.insert(list, entry)
  local fit = row_of(view, part.shadows, list)
  table.insert(part.jobs, entry)
  if not fit[#list] then return self:stands_still(entry) end
  entry.row, part.active = "filler", part.active + 1
  self:cast_shadow(entry)
  if self:matters(part) then self:update_all(view) end
end

function Gang:ends(view, job)
  local entry = self.entries[job.id]
  if not entry then return end
  self.entries[job.id] = nil
  self:clear_shadow(entry)
  remove(entry.part.jobs, entry)
  if not entry.runs then self.still = self.still - 1 end
  entry.over = true
  if entry.row ~= "none" then entry.part.active = entry.part.active - 1 end
  if self.still > 0 then self:update_all(view) end
end

--- The next turn: those that had theirs go to the end of the list.
function Gang:cycle(view, part)
  local list = {}
  for _, entry in ipairs(part.jobs) do
    if entry.row ~= "active" then table.insert(list, entry) end
  end
  for _, entry in ipairs(those(part, "active")) do table.insert(list, entry) end
  part.jobs = list
  local fit, active = row_of(view, part.shadows, list), #part.shadows
  for i, entry in ipairs(list) do
    entry.row = fit[i] and "active" or "none"
    if fit[i] then active = active + 1
    else self:stands_still(entry) end
  end
  for i, entry in ipairs(list) do
    if fit[i] then
      self:goes_on(entry)
      self:cast_shadow(entry)
    end
  end
  part.active = active
end

--- When the next time slice is over, after `time`.
function Gang:next_turn(time)
  return self.first + (math.floor((time - self.first + tolerance(time)) / self.slice) + 1) * self.slice
end

function Gang:run(view)
  local now = view.now
  if not self.due then self.due = self:next_turn(now) end
  if now > self.due - tolerance(now) then -- where it is later, nobody stood still then, nor does now
    for _, part in ipairs(self.parts) do
      if part.active < #part.jobs + #part.shadows then self:cycle(view, part) end
    end
    self.due = self:next_turn(now)
  end
  self:settle(view)
end

--- Suspends jobs that are to stand still, and lets others go on; asks for a pass at the end of the time slice.
function Gang:settle(view)
  local changed = self.changed
  self.changed = {}
  for _, entry in ipairs(changed) do
    if not entry.over then
      if entry.leaves and not entry.runs then
        if entry.leaves == "kill" then view:kill(entry.job)
        else view:requeue(entry.job) end
        entry.leaves = nil
      elseif not entry.runs and not entry.suspended then
        view:suspend(entry.job)
        entry.suspended = true
      elseif entry.runs and entry.suspended then
        view:resume(entry.job)
        entry.suspended = nil
      end
    end
  end
  if self.still > 0 and self.due then view:wake(self.due, "jobs take turns") end
end

return gang
