-- Which jobs are to share GPUs or nodes (sharing_book): the groups that can be formed, what each gains, and whether it is fair.
--
-- A group is a table: primary, guests (records that share its units, each with it alone), new (those of them that wait), kind
-- (its number), idle (units that nothing is on and that it takes), gain (what it adds to that of the jobs that run), rank.
local forecast = require "queue_forecast"
local sharing = require "sharing_book"

local groups = {}

local none = {}

-- U_gain (Zeng 2009, Equation 6): what a primary and its guests get done, in the time that their units take alone, over the time
-- that the primary's units are in use, less 1; until it ends or none is left beside it. Slowdown of the primary: the worst.
local function utilization_gain(primary, guests)
  if #guests == 1 then
    local g = guests[1]
    return g.of_primary + g.kept * (g.units / primary.units) - 1
  end
  local work, left = primary.work, {}
  for i, g in ipairs(guests) do left[i] = g.work end
  local useful, total = 0, 0
  while work > 1e-9 do
    local kept
    for i, g in ipairs(guests) do
      if left[i] > 1e-9 and (not kept or g.of_primary < kept) then kept = g.of_primary end
    end
    if not kept then break end
    local time = work / kept
    for i, g in ipairs(guests) do
      if left[i] > 1e-9 then time = math.min(time, left[i] / g.kept) end
    end
    useful = useful + time * kept * primary.units
    for i, g in ipairs(guests) do
      if left[i] > 1e-9 then
        useful = useful + time * g.kept * g.units
        left[i] = left[i] - time * g.kept
      end
    end
    total, work = total + time, work - time * kept
  end
  return total > 0 and useful / (total * primary.units) - 1 or 0
end

-- What is to know of a guest: its units, what it and the primary keep of their speeds, its work.
local function member(view, book, primary, r, kind)
  return {
    record = r, units = r.units, kept = book:kept(view, r, primary, kind), of_primary = book:kept(view, primary, r, kind),
    work = book:left(r, view.now) / r.speed[kind],
  }
end

-- The same; nil if the two do not bear one another.
local function bearable(view, book, primary, r, kind, params)
  if r.speed[kind] == 0 or primary.speed[kind] == 0 or not book:may_share(primary, r, kind) then return nil end
  local least = math.min(book:kept(view, r, primary, kind), book:kept(view, primary, r, kind))
  return least * params.max_slowdown >= 1 - 1e-9 and member(view, book, primary, r, kind) or nil
end

-- The same for a job that would be the only one beside a primary with as many units; nil also if they gain too little.
local function gainful(view, book, primary, r, params)
  local kind = primary.kind
  if book:kept(view, r, primary, kind) + book:kept(view, primary, r, kind) - 1 <= params.min_gain then return nil end
  return bearable(view, book, primary, r, kind, params)
end

-- Collects groups, with what they add to the gain of those that run already.
local function collector(view, book, params)
  local found = {}
  local function add(primary, kind, members, idle)
    local work = book:left(primary, view.now) / primary.speed[kind]
    local before, all = {}, {}
    for _, p in ipairs(primary.partners or {}) do before[#before + 1] = member(view, book, primary, p.record, kind) end
    table.move(before, 1, #before, 1, all)
    table.move(members, 1, #members, #all + 1, all)
    local whole = { units = primary.units, work = work }
    local gain = utilization_gain(whole, all)
    if gain <= params.min_gain then return end
    if #before > 0 then gain = gain - utilization_gain(whole, before) end
    if gain <= 0 then return end
    local group = { primary = primary, kind = kind, idle = idle, gain = gain, rank = #found, guests = {}, new = {} }
    if not primary.since then group.new[1] = primary end
    group.members = members
    for _, m in ipairs(members) do
      table.insert(group.guests, m.record)
      if not m.record.since then table.insert(group.new, m.record) end
    end
    found[#found + 1] = group
  end
  return found, add
end

-- Sets of guests for a primary that may share `room` units with them and must share `least`: for each that slows it down the
-- most, those that slow it down no more and keep most themselves.
local function sets(add, primary, kind, members, room, least, idle)
  table.sort(members, function(a, b)
    if a.kept ~= b.kept then return a.kept > b.kept end
    return a.record.id < b.record.id
  end)
  local tried = {}
  for _, worst in ipairs(members) do
    local bound = worst.of_primary
    if not tried[bound] then
      tried[bound] = true
      local set, units = {}, 0
      for _, m in ipairs(members) do
        if m.of_primary >= bound and units + m.units <= room then
          set[#set + 1], units = m, units + m.units
        end
      end
      if #set > 0 and units >= least then add(primary, kind, set, idle(units)) end
    end
  end
end

-- Case 1 (Zeng 2009, Section 4.5): a waiting job, on units that nothing is on, and others that wait. Of two alike the first
-- is the primary.
local function among_waiting(view, book, block, i, add, params)
  local r = block[i]
  local kind = r.units > 0 and book:fastest_free(view, r)
  if not kind then return end
  local members = {}
  for j, other in ipairs(block) do
    local narrower = other.units > 0 and (other.units < r.units or other.units == r.units and j > i)
    local m = narrower and bearable(view, book, r, other, kind, params)
    if m and other.units == r.units then
      add(r, kind, { m }, r.units)
    elseif m then
      members[#members + 1] = m
    end
  end
  sets(add, r, kind, members, r.units, 1, function() return r.units end)
end

-- Case 2: a waiting job over narrower ones that run, and on units that nothing is on, which alone are not enough.
local function over_running(view, book, r, hosts, add, params)
  for k in ipairs(book.kinds) do
    if r.units > 1 and r.speed[k] > 0 and book.free[k] < r.units then
      local members = {}
      for _, host in ipairs(hosts) do
        local alone = host.kind == k and #host.partners == 0 and host.units < r.units
        members[#members + 1] = alone and bearable(view, book, r, host, k, params) or nil
      end
      sets(add, r, k, members, r.units, r.units - book.free[k], function(units) return r.units - units end)
    end
  end
end

-- Case 3: waiting jobs beside one that runs.
local function beside_running(view, book, host, block, add, params)
  local members = {}
  for _, r in ipairs(block) do
    local fits = r.units > 0 and r.units < host.units and r.units <= sharing.single(host)
    members[#members + 1] = fits and bearable(view, book, host, r, host.kind, params) or nil
  end
  sets(add, host, host.kind, members, sharing.single(host), 1, function() return 0 end)
end

--- The groups that the jobs of a block of the queue can form, with one another and with those that run.
function groups.candidates(view, book, block, params)
  local found, add = collector(view, book, params)
  local hosts = {}
  for host in book:hosts() do hosts[#hosts + 1] = host end
  for i, r in ipairs(block) do
    among_waiting(view, book, block, i, add, params)
    for _, host in ipairs(hosts) do
      local m = host.units == r.units and #host.partners == 0 and gainful(view, book, host, r, params)
      if m then add(host, host.kind, { m }, 0) end
    end
    over_running(view, book, r, hosts, add, params)
  end
  for _, host in ipairs(hosts) do
    if host.units > 1 then beside_running(view, book, host, block, add, params) end
  end
  return found
end

--- Under low load the first job has what it asks for to itself, unless it is faster beside another one on a faster kind.
function groups.faster_than_alone(view, book, head, params)
  local found, add = collector(view, book, params)
  local kind, known = book:fastest_free(view, head), book:kept_beside(head)
  for _, host in ipairs(kind and book.running or {}) do
    local k = host.kind
    local alike = k and host.units == head.units and #host.partners == 0
    local kept = alike and ((known[k] or none)[host.application] or book:kept(view, head, host, k))
    local m = alike and kept * head.speed[k] > head.speed[kind] and bearable(view, book, host, head, k, params)
    if m then add(host, k, { m }, 0) end
  end
  return found
end

-- --- fairness

-- Until when a job should have ended: slack times what it could expect when it came.
local function bound(r, params) return r.submit + params.slack * r.expected end

-- When the jobs that run and have to do with the group would end without it, by record.
local function ends_without(view, book, group)
  local all = {}
  local function note(r)
    if not r.since or all[r] then return end
    local connected, ends = book:ends(view, r)
    for _, x in ipairs(connected) do all[x] = ends[x] end
  end
  note(group.primary)
  for _, guest in ipairs(group.guests) do note(guest) end
  return all
end

-- Those of the block that wait ahead of the last job of the group that does, and are not of it.
local function ahead_of(group, block)
  local ahead, passed, is_new = {}, 0, {}
  for _, r in ipairs(group.new) do is_new[r] = true end
  for _, r in ipairs(block) do
    if is_new[r] then passed = passed + 1 else ahead[#ahead + 1] = r end
    if passed == #group.new then break end
  end
  return ahead
end

-- With the group no job of it, and none that waits ahead of it, ends later than it may, or, if that has passed, than without.
local function is_fair(view, book, group, block, without, params)
  local running = ends_without(view, book, group)
  local function is_late(r, finish)
    local due = view:machine_time(running[r] or without[r.id] or math.huge)
    return finish and view:machine_time(finish) > math.max(bound(r, params), due) + 1e-6
  end
  local ahead = ahead_of(group, block)
  book:suppose(group)
  local connected, ends = book:ends(view, group.primary)
  local fair = true
  for _, r in ipairs(connected) do fair = fair and not is_late(r, ends[r]) end
  local lists = fair and #ahead > 0 and forecast.releases(book, view)
  book:forget(group)
  if not lists then return fair end
  local finishes = forecast.play(ahead, lists, view.now)
  for _, r in ipairs(ahead) do
    if is_late(r, finishes[r.id]) then return false end
  end
  return true
end

-- --- the choice

local function jobs_of(records)
  local jobs = {}
  for i, r in ipairs(records) do jobs[i] = r.job end
  return jobs
end

-- Where the first of the group's new jobs is to start, with room for the others; and which that are.
local function first_place(book, group)
  local kind = book.kinds[group.kind].name
  local rest = table.move(group.new, 2, #group.new, 1, {})
  local place
  if group.primary.since then
    place = { beside = group.primary.job, alone = true }
  elseif group.guests[1].since then
    place = { kind = kind, beside = jobs_of(group.guests), alone = true, idle = true }
  else
    place = { kind = kind, alone = true }
  end
  if #rest > 0 then place.with = jobs_of(rest) end
  return place, rest
end

--- The one that adds most, of those that are fair; nil if there is none.
function groups.best(view, book, found, block, params)
  if #found == 0 then return nil end
  table.sort(found, function(a, b)
    if a.gain ~= b.gain then return a.gain > b.gain end
    return a.rank < b.rank
  end)
  local without = params.slack > 0 and forecast.play(block, forecast.releases(book, view), view.now)
  for i = 1, math.min(#found, params.tries) do
    local group = found[i]
    local possible = view:fits(group.new[1].job, (first_place(book, group)))
    if possible and (not without or is_fair(view, book, group, block, without, params)) then
      group.better, group.next = i - 1, found[i + 1]
      return group
    end
  end
end

local function ids(records)
  local words = {}
  for i, r in ipairs(records) do words[i] = ("%d"):format(r.id) end
  return (#words == 1 and "job " or "jobs ") .. table.concat(words, ", ")
end

-- Why these share: what each is to keep of its speed, and what the choice was.
local function reason(group)
  local words = {}
  for i, m in ipairs(group.members) do
    words[i] = ("job %d keeps %.2f of its speed beside job %d, which keeps %.2f"):format(
      m.record.id, m.kept, group.primary.id, m.of_primary)
  end
  local text = ("%s: a gain of %.2f"):format(table.concat(words, ", "), group.gain)
  if group.better > 0 then text = ("%s; %d with more would not fit or not be fair"):format(text, group.better) end
  local other = group.next
  if not other then return text .. "; there was no other group" end
  return ("%s; next, %s beside job %d with %.2f"):format(text, ids(other.guests), other.primary.id, other.gain)
end

--- Starts the jobs of a group that wait.
function groups.start(view, book, group)
  local place, rest = first_place(book, group)
  local why = reason(group)
  view:because(group.new[1].job, why)
  view:start(group.new[1].job, place)
  for _, r in ipairs(rest) do
    local beside = { beside = group.primary.job, alone = true }
    if not view:fits(r.job, beside) then return end -- another one has just taken the last licence
    view:because(r.job, why)
    view:start(r.job, beside)
  end
end

return groups
