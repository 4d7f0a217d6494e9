-- When those that wait would start and end if each had what it asks for to itself, in the order of the queue; from a sharing_book.
--
--   local forecast = require "queue_forecast"
--   local finishes = forecast.play(queue, forecast.releases(book, view), view.now)
local forecast = {}

--- The instants at which units of each kind come free, in order: lists of { at, units }.
function forecast.releases(book, view)
  local now, lists, seen = view.now, {}, {}
  for k, free in ipairs(book.free) do lists[k] = free > 0 and { { at = now, units = free } } or {} end
  local function free_at(k, at, units)
    if units > 0 then table.insert(lists[k], { at = at, units = units }) end
  end
  for _, r in ipairs(book.running) do
    if not seen[r] then
      local all, ends = book:ends(view, r)
      for _, x in ipairs(all) do
        seen[x] = true
        local single = table.copy(x.at)
        for _, p in ipairs(x.partners) do
          single[p.kind] = single[p.kind] - p.units
          if x.id < p.record.id then free_at(p.kind, now + math.max(ends[x], ends[p.record]), p.units) end
        end
        for k in ipairs(lists) do free_at(k, now + ends[x], single[k] or 0) end
      end
    end
  end
  for _, list in ipairs(lists) do
    table.sort(list, function(a, b) return a.at < b.at end)
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
    first.units, units = first.units - n, units - n
    if first.units == 0 then table.remove(list, 1) end
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
