-- When those that wait would start and end if each had what it asks for to itself, in the order of the queue; from a sharing_book.
--
--   local forecast = require "queue_forecast"
--   local finishes = forecast.play(queue, forecast.releases(book, view), view.now)
local forecast = {}

-- What jobs that share units give back, and when: add(kind, at, units).
local function entries_of(all, ends, add)
  for _, x in ipairs(all) do
    local single = x.at
    if #x.partners > 0 then
      single = table.copy(x.at)
      for _, p in ipairs(x.partners) do
        single[p.kind] = single[p.kind] - p.units
        if x.id < p.record.id then add(p.kind, math.max(ends[x], ends[p.record]), p.units) end
      end
    end
    for k, units in pairs(single) do add(k, ends[x], units) end
  end
end

local few = 8 -- so many are put in their places one by one

local function put_in_order(list, new)
  local n = #list
  table.move(new, 1, #new, n + 1, list)
  if #new > few then
    table.sort(list, function(a, b) return a.at < b.at end)
    return
  end
  for i = n + 1, #list do
    local entry, place = list[i], i
    while place > 1 and list[place - 1].at > entry.at do
      list[place] = list[place - 1]
      place = place - 1
    end
    list[place] = entry
  end
end

-- Those of jobs that have come or gone, and of those that share units with them, are taken out.
local function take_out(list)
  local n = 0
  for i = 1, #list do
    local entry = list[i]
    if not entry.found.gone then
      n = n + 1
      list[n] = entry
    end
  end
  for i = #list, n + 1, -1 do list[i] = nil end
end

-- The same of all jobs that run, in order by kind. The book keeps them, and those change that share units with one that has come or
-- gone.
local function entries_by_kind(book, view)
  local late = view.now > book.listed_until -- some job runs on although it should have ended
  if #book.changed == 0 and not late then return book.entries end
  local new, changed = {}, late and book.running or book.changed
  if late then book.listed_until = math.huge end
  for _, r in ipairs(changed) do
    if r.partners and not r.over then
      book:ends(view, r)
      local found = r.ends
      book.listed_until = math.min(book.listed_until, found.soonest)
      if not found.listed then
        found.listed = true
        entries_of(found.all, found.at, function(k, at, units)
          new[k] = new[k] or {}
          if units > 0 then table.insert(new[k], { at = at, units = units, found = found }) end
        end)
      end
    end
  end
  book.changed = {}
  for k, list in ipairs(book.entries) do
    take_out(list)
    put_in_order(list, new[k] or {})
  end
  return book.entries
end

--- The instants at which units of each kind come free, in order: lists of { at, units }. The lists may be changed, not what is in
--- them.
function forecast.releases(book, view)
  local now, lists, entries = view.now, {}, entries_by_kind(book, view)
  for k, free in ipairs(book.free) do
    local list, of_kind = free > 0 and { { at = now, units = free } } or {}, entries[k]
    lists[k] = table.move(of_kind, 1, #of_kind, #list + 1, list)
  end
  return lists
end

-- When so many units of the list are free at once; and how many more are by then.
local function enough_at(list, units)
  local sum = 0
  for i, entry in ipairs(list) do
    sum = sum + entry.units
    if sum >= units then
      local at = entry.at
      while list[i + 1] and list[i + 1].at <= at do
        i = i + 1
        sum = sum + list[i].units
      end
      return at, sum - units
    end
  end
end

--- Where the waiting job would end soonest: the kind, when it starts and ends there, and how many units are left over then.
function forecast.place(r, lists, not_before)
  local best, best_start, best_finish, best_spare
  for k, list in ipairs(lists) do
    if r.speed[k] > 0 and r.units > 0 then
      local start, spare = enough_at(list, r.units)
      if start then
        start = math.max(start, not_before)
        local finish = start + r.left / r.speed[k]
        if not best or finish < best_finish then best, best_start, best_finish, best_spare = k, start, finish, spare end
      end
    end
  end
  return best, best_start, best_finish, best_spare
end

--- When a job that fits no kind alone would start on the units of all that it may have, when it would end at the pace of the
--- slowest, and how many units are left over then.
function forecast.spread(r, lists, not_before)
  local all, slowest = {}, math.huge
  for k, list in ipairs(lists) do
    if r.speed[k] > 0 then
      table.move(list, 1, #list, #all + 1, all)
      slowest = math.min(slowest, r.speed[k])
    end
  end
  table.sort(all, function(a, b) return a.at < b.at end)
  local start, spare = enough_at(all, r.units)
  if not start then return end
  start = math.max(start, not_before)
  return start, start + r.left / slowest, spare
end

-- The first units of the list are taken until then.
local function take_until(list, units, at)
  while units > 0 do
    local first = list[1]
    local n = math.min(units, first.units)
    units = units - n
    if first.units == n then table.remove(list, 1) else list[1] = { at = first.at, units = first.units - n } end
    local place = #list + 1
    while place > 1 and list[place - 1].at > at do place = place - 1 end
    table.insert(list, place, { at = at, units = n })
  end
end

-- The same of a job on several kinds, which starts at `start`: what is free by then, in the order of the kinds.
local function take_all_until(r, lists, start, at)
  local units = r.units
  for k, list in ipairs(lists) do
    local free = 0
    for _, entry in ipairs(list) do
      if r.speed[k] > 0 and entry.at <= start then free = free + entry.units end
    end
    local n = math.min(units, free)
    take_until(list, n, at)
    units = units - n
  end
end

--- When the jobs of a list would end if each had its units for itself, in this order, none before the one ahead of it, from the
--- instants at which units come free (`lists`, which change): by the jobs' ids. Jobs that ask for none are left out.
function forecast.play(queue, lists, now)
  local finishes, last = {}, now
  for _, r in ipairs(queue) do
    local k, start, finish = forecast.place(r, lists, last)
    if k then
      take_until(lists[k], r.units, finish)
    elseif r.units > 0 then
      start, finish = forecast.spread(r, lists, last)
      if start then take_all_until(r, lists, start, finish) end
    end
    if start then finishes[r.id], last = finish, start end
  end
  return finishes
end

return forecast
