-- Who is on which GPUs, or on which nodes, alone or beside others; what is left of each job, and when they are believed to end.
-- When those that wait would is in queue_forecast.
--
--   local sharing = require "sharing_book"
--   local book = sharing.book(view, "gpus")     -- or "nodes": what jobs have alone or share, in units of one
--
-- A job is seen as a record: job, id, submit, units (that it asks for), application, speed (alone, by number of the kind), left
-- (seconds of its run time, at `since`); while it runs kind (if all its units are of one), at (units by kind), partners (those
-- that have units in common with it: record, units, kind) and rate.
local Book = {}
Book.__index = Book

local module = {}

--- A book of a view's machine, of which nothing is taken yet.
function module.book(view, of)
  local kinds = view:kinds()
  local free, number, entries = {}, {}, {}
  for k, kind in ipairs(kinds) do
    entries[k] = {}
    free[k], number[kind.name] = kind.nodes * (of == "gpus" and kind.gpus or 1), k
  end
  return setmetatable({
    of = of, kinds = kinds, number = number, free = free, size = table.copy(free), on = {}, records = {}, running = {},
    known = {}, entries = entries, changed = {}, listed_until = math.huge,
  }, Book)
end

--- The record of a job.
function Book:record(view, job)
  local r = self.records[job.id]
  if r then return r end
  local asked = view:request(job)
  r = {
    job = job, id = job.id, submit = job.submit, application = job.application, left = job.estimate,
    units = asked.nodes * (self.of == "gpus" and asked.gpus or 1), cores = asked.cores, share = asked.gpu_share,
    exclusive = asked.exclusive, speed = {}, known = {}, fits_one = false,
  }
  for k, kind in ipairs(self.kinds) do
    r.speed[k] = view:speed(job, kind.name)
    if r.speed[k] > 0 and self.size[k] >= r.units then r.fits_one = true end
  end
  self.records[job.id] = r
  return r
end

--- Which parts of its speed a job keeps beside those of other programs, as far as that was asked: by kind and application.
function Book:kept_beside(r)
  local known = self.known[r.application] or {}
  self.known[r.application] = known
  return r.application ~= "" and known or {}
end

--- Which part of its speed on a kind a job keeps beside the other one. Jobs of the same two programs are asked about once.
function Book:kept(view, r, other, k)
  local of_both, key = r.known, other.id
  if r.application ~= "" and other.application ~= "" then of_both, key = self:kept_beside(r), other.application end
  local known = of_both[k] or {}
  of_both[k] = known
  local kept = known[key]
  if not kept then
    kept = r.speed[k] > 0 and view:speed(r.job, self.kinds[k].name, other.job) / r.speed[k] or 0
    known[key] = kept
  end
  return kept
end

--- Whether two jobs can have units of a kind in common, as far as what they ask for goes.
function Book:may_share(r, other, k)
  if r.exclusive or other.exclusive or r.cores + other.cores > self.kinds[k].cores + 1e-9 then return false end
  return self.of == "nodes" or r.share + other.share <= 1
end

--- The kind on which the job is fastest, of those where it could start alone now; nil if there is none.
function Book:fastest_free(view, r)
  local best, most = nil, 0
  for k, kind in ipairs(self.kinds) do
    if r.units > 0 and self.free[k] >= r.units and r.speed[k] > most
      and view:fits(r.job, { kind = kind.name, alone = true }) then
      best, most = k, r.speed[k]
    end
  end
  return best
end

-- --- who shares what

--- Units of the running job that it has for itself.
function module.single(r)
  local n = r.units
  for _, p in ipairs(r.partners) do n = n - p.units end
  return math.max(n, 0)
end

--- The running jobs of one kind that have units for themselves and share others only with jobs that have none, in order of
--- their starts.
function Book:hosts()
  local function is_host(r)
    if not r.kind or #r.partners == 0 then return r.kind and r.units > 0 end
    if module.single(r) == 0 then return false end
    for _, p in ipairs(r.partners) do
      if p.units < p.record.units then return false end
    end
    return true
  end
  local i = 0
  return function()
    repeat i = i + 1 until not self.running[i] or is_host(self.running[i])
    return self.running[i]
  end
end

local function link(r, other, k, units)
  for _, p in ipairs(r.partners) do
    if p.record == other and p.kind == k then
      p.units = p.units + units
      return
    end
  end
  table.insert(r.partners, { record = other, units = units, kind = k })
end

local function unlink(r, other)
  for i = #r.partners, 1, -1 do
    if r.partners[i].record == other then table.remove(r.partners, i) end
  end
end

-- Seconds of its run time that a running job gets done in one.
local function rate_of(book, view, r)
  local k = r.kind
  if not k then return r.slowest end
  local least
  for _, p in ipairs(r.partners) do
    local kept = book:kept(view, r, p.record, k)
    if not least or kept < least then least = kept end
  end
  return r.speed[k] * (least or 1)
end

-- What is left of the job now, and how fast it goes on from now on.
local function settle(book, view, r)
  if r.since then r.left = math.max(0, r.left - (view.now - r.since) * r.rate) end
  r.since, r.rate = view.now, rate_of(book, view, r)
end

-- What a part of a job's nodes is in the book: keys of units.
local function units_of(book, part)
  if book.of == "nodes" then return { part.node } end
  local units = {}
  for i, gpu in ipairs(part.gpus) do units[i] = part.node * 65 + gpu end
  return units
end

-- The job has a unit of a kind, beside those that are there.
local function take_unit(book, r, unit, k)
  local there = book.on[unit] or {}
  book.on[unit] = there
  if #there == 0 then book.free[k] = book.free[k] - 1 end
  for _, other in ipairs(there) do
    link(r, other, k, 1)
    link(other, r, k, 1)
  end
  table.insert(there, r)
  table.insert(r.has, { unit = unit, kind = k })
  r.at[k] = (r.at[k] or 0) + 1
end

local function leave_unit(book, r, unit, k)
  local there = book.on[unit]
  for i, other in ipairs(there) do
    if other == r then table.remove(there, i) end
  end
  if #there > 0 then return end
  book.on[unit] = nil
  book.free[k] = book.free[k] + 1
end

-- Running jobs that share units, directly or through others, end when they do until one of them comes or goes.
local function connected(r)
  local all, seen = { r }, { [r] = true }
  local i = 1
  while all[i] do
    for _, p in ipairs(all[i].partners) do
      if not seen[p.record] then
        seen[p.record] = true
        all[#all + 1] = p.record
      end
    end
    i = i + 1
  end
  return all
end

-- When the job ends, and each with which it shares units, is to be found anew.
local function forget_ends(book, r)
  local changed = book.changed
  for _, x in ipairs(connected(r)) do
    if x.ends then x.ends.gone, x.ends = true, nil end
    changed[#changed + 1] = x
  end
end

--- To be called in the hook `started`.
function Book:started(view, job)
  local r = self:record(view, job)
  r.partners, r.at, r.has, r.kind, r.slowest = {}, {}, {}, nil, nil
  for _, part in ipairs(view:parts(job)) do
    local k = self.number[part.kind]
    for _, unit in ipairs(units_of(self, part)) do take_unit(self, r, unit, k) end
  end
  local kinds = 0
  for k in ipairs(self.kinds) do
    if r.at[k] then
      kinds, r.kind = kinds + 1, k
      r.slowest = math.min(r.slowest or r.speed[k], r.speed[k])
    end
  end
  if kinds ~= 1 then r.kind = nil end
  r.slowest = r.slowest or 1
  self.running[#self.running + 1] = r
  settle(self, view, r)
  for _, p in ipairs(r.partners) do settle(self, view, p.record) end
  forget_ends(self, r)
end

--- To be called in the hook `ended`.
function Book:ended(view, job)
  local r = self.records[job.id]
  self.records[job.id] = nil
  if r then r.over = true end
  for i, other in ipairs(self.running) do
    if other == r then
      table.remove(self.running, i)
      break
    end
  end
  if not r or not r.has then return end
  forget_ends(self, r)
  for _, has in ipairs(r.has) do leave_unit(self, r, has.unit, has.kind) end
  for _, p in ipairs(r.partners) do
    unlink(p.record, r)
    settle(self, view, p.record)
  end
end

--- Takes from the view what is left of each running job: where jobs also run in slices of others, whose time is not the view's.
function Book:look_again(view)
  for _, r in ipairs(self.running) do
    r.left, r.since = view:left(r.job), view.now
    forget_ends(self, r)
  end
end

-- --- what if

--- As if a group had started: `primary` (which waits or runs) shares units with each of `guests` on a kind, and takes `idle` units
--- that nothing is on. Until forget().
function Book:suppose(group)
  local k = group.kind
  for _, r in ipairs(group.new) do
    r.partners, r.at, r.kind = {}, { [k] = r.units }, k
    self.running[#self.running + 1] = r
  end
  for _, guest in ipairs(group.guests) do
    local units = math.min(guest.units, group.primary.units)
    link(group.primary, guest, k, units)
    link(guest, group.primary, k, units)
  end
  self.free[k] = self.free[k] - group.idle
  forget_ends(self, group.primary)
end

function Book:forget(group)
  forget_ends(self, group.primary)
  for _, guest in ipairs(group.guests) do
    unlink(group.primary, guest)
    unlink(guest, group.primary)
  end
  for _, r in ipairs(group.new) do
    self.running[#self.running] = nil
    r.partners, r.at, r.kind = nil, nil, nil
  end
  self.free[group.kind] = self.free[group.kind] + group.idle
end

-- --- what is to come

--- What is left of a job: all of it, if it waits.
function Book:left(r, now)
  if not r.since then return r.left end
  return math.max(0, r.left - (now - r.since) * r.rate)
end

-- How fast the job is among those that have not ended yet.
local function speed_among(book, view, r, ended)
  if not r.kind then return r.slowest end
  local least
  for _, p in ipairs(r.partners) do
    local kept = not ended[p.record] and book:kept(view, r, p.record, r.kind)
    if kept and (not least or kept < least) then least = kept end
  end
  return r.speed[r.kind] * (least or 1)
end

-- When jobs that share units end, if no other comes: instants by record.
local function find_ends(book, view, all)
  local left, ends, at = {}, {}, {}
  for _, x in ipairs(all) do left[x] = book:left(x, view.now) end
  local passed = 0
  for _ = 1, #all do
    local first, soonest
    local speed = {}
    for _, x in ipairs(all) do
      if not ends[x] then
        speed[x] = speed_among(book, view, x, ends)
        local time = left[x] / speed[x]
        if not first or time < soonest then first, soonest = x, time end
      end
    end
    for _, x in ipairs(all) do
      if not ends[x] then left[x] = left[x] - soonest * speed[x] end
    end
    passed = passed + soonest
    ends[first], at[first] = true, view.now + passed
  end
  return at
end

--- When the running job ends, and each with which it shares units, directly or through others, if no other comes: a list of
--- records, and instants by record. They stay the same until one of them comes or goes, or runs on although it should have ended.
function Book:ends(view, r)
  if r.ends and r.ends.soonest < view.now then forget_ends(self, r) end
  if not r.ends then
    local all = connected(r)
    local found = { at = find_ends(self, view, all), all = all, soonest = math.huge }
    for _, x in ipairs(all) do
      x.ends, found.soonest = found, math.min(found.soonest, found.at[x])
    end
  end
  return r.ends.all, r.ends.at
end

--- When a running job is believed to end.
function Book:finish(view, r)
  local _, ends = self:ends(view, r)
  return ends[r]
end

return module
