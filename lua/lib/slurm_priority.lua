-- Slurm's multifactor priorities of the jobs that wait. Each is a sum of which two terms change while a job waits: its
-- age, and what its association has used. They are calculated for thousands of jobs at once, so that what is known of
-- them stands in columns.
--
--   local priorities = require("slurm_priority").new(params, shares)
--   -- Its priority now; the terms as they are added.
--   priorities:add(job, association, { size, partition, qos, ... }, job.submit)
--   priorities:remove(job)
--   view:rekey(priorities:keys())   -- when shares have been calculated
local Priorities = {}
Priorities.__index = Priorities

--- `shares.at` is the time of the last calculation.
---@param params coslice.Params
---@param shares table
---@param only_up? boolean With INCR_ONLY, priorities of waiting jobs never become lower.
function Priorities.new(params, shares, only_up)
  local self = setmetatable({ shares = shares, only_up = only_up, max_age = params.PriorityMaxAge,
    of_age = params.PriorityWeightAge,
    of_share = params.PriorityWeightFairshare, by_key = {}, place = {}, ids = {}, submit = {},
    association = {}, first = {}, second = {}, third = {} }, Priorities)
  self.columns = { self.ids, self.submit, self.association, self.first, self.second, self.third }
  return self
end

--- Slurm's priority is a whole number; lower keys come first.
local function key(self, i, at)
  local age = (at - self.submit[i]) / self.max_age
  if age > 1 then age = 1 elseif age < 0 then age = 0 end
  return 0 - (self.of_age * age + self.of_share * self.association[i].factor
    + self.first[i] + self.second[i] + self.third[i]) // 1
end

--- The job waits from now on; returns its key. `terms`: three that do not change; `since`: when its age began, s;
--- `roughly`: all keys are calculated anew before one matters, as where jobs start on record.
function Priorities:add(job, association, terms, since, roughly)
  local i = #self.ids + 1
  self.ids[i], self.place[job.id] = job.id, i
  self.submit[i], self.association[i] = since, association
  if not roughly or self.only_up then self.shares:refresh() end
  self.first[i], self.second[i], self.third[i] = terms[1], terms[2], terms[3]
  self.by_key[job.id] = key(self, i, self.shares.at)
  return self.by_key[job.id]
end

--- Of a job that waits.
function Priorities:of(job) return -(self.by_key[job.id] or 0) end

--- What the priority of a waiting job is made of as of the last calculation: its age and its association's share.
function Priorities:changing(job)
  local i = self.place[job.id]
  local age = math.max(math.min((self.shares.at - self.submit[i]) / self.max_age, 1), 0)
  return self.of_age * age, self.of_share * self.association[i].factor
end

--- It waits no longer.
function Priorities:remove(job)
  local i, last = self.place[job.id], #self.ids
  if not i then return end
  for _, column in ipairs(self.columns) do
    column[i] = column[last]
    column[last] = nil
  end
  self.place[job.id], self.by_key[job.id] = nil, nil
  if i < last then self.place[self.ids[i]] = i end
end

--- The keys of all that wait, by their ids, as of the last calculation.
function Priorities:keys()
  self.shares:refresh()
  local at, max_age, of_age, of_share = self.shares.at, self.max_age, self.of_age, self.of_share
  local ids, submit, association, by_key = self.ids, self.submit, self.association, self.by_key
  local first, second, third, only_up = self.first, self.second, self.third, self.only_up
  for i = 1, #ids do -- key(), written out
    local age = (at - submit[i]) / max_age
    if age > 1 then age = 1 elseif age < 0 then age = 0 end
    local key_now = 0 - (of_age * age + of_share * association[i].factor + first[i] + second[i] + third[i]) // 1
    by_key[ids[i]] = only_up and math.min(by_key[ids[i]], key_now) or key_now
  end
  return by_key
end

return Priorities
