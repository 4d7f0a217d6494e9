-- The plan that Kamelot (OAR's scheduler in Python) makes in each round: all waiting jobs in order of submission, each
-- once and for good, at its earliest beside those before it; and a fault of its time axis (docs/oar.md, section 4).
-- Sets of nodes are lists of words of 64 bits, the lowest bit the first node in the order of nodes.
local Plan = {}
Plan.__index = Plan

local function count_word(x)
  x = x - ((x >> 1) & 0x5555555555555555)
  x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
  return (((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101) >> 56
end

local function count(set)
  local sum = 0
  for w = 1, #set do sum = sum + count_word(set[w]) end
  return sum
end

--- What of `set` is not in `other` as well.
local function without(set, other)
  local out = {}
  for w = 1, #set do out[w] = set[w] & ~other[w] end
  return out
end

--- The first n nodes of a set that has as many.
local function first_of(set, n)
  local out = {}
  for w = 1, #set do
    local left, taken = set[w], 0
    while n > 0 and left ~= 0 do
      local lowest = left & -left
      taken, left, n = taken | lowest, left ~ lowest, n - 1
    end
    out[w] = taken
  end
  return out
end

--- The set of all of so many nodes.
function Plan.all(nodes)
  local out = {}
  for w = 1, (nodes + 63) // 64 do
    local bits = math.min(nodes - 64 * (w - 1), 64)
    out[w] = bits == 64 and -1 or (1 << bits) - 1
  end
  return out
end

--- The set of the nodes of these numbers, of as many words as another set.
---@param numbers integer[] From 0.
function Plan.set(numbers, like)
  local out = {}
  for w = 1, #like do out[w] = 0 end
  for _, number in ipairs(numbers) do
    local w = (number >> 6) + 1
    out[w] = out[w] | 1 << (number & 63)
  end
  return out
end

--- Whether a set has the node of that number, from 0.
function Plan.has(set, number) return set[(number >> 6) + 1] >> (number & 63) & 1 == 1 end

--- Until when each of the current jobs keeps its nodes in the plan, in their order. Right is: start, limit and margin.
--- Kamelot enters them into its time axis in order of their starts and does not go back to its beginning between two,
--- so that a job which is to end before one that is entered already loses its nodes at the first of all ends.
---@param current table[] In order of (start, number): `start`, `limit`, `nodes` (a set).
---@return table[] blocks `ends`, `nodes`
function Plan.blocks(current, now, margin, faulty)
  local blocks, last, first = {}, -math.huge, math.huge
  for i, job in ipairs(current) do
    local ends = math.max(job.start + job.limit, now) + margin -- past its limit: as if that were now
    first = math.min(first, ends)
    blocks[i] = { ends = faulty and ends < last and first or ends, nodes = job.nodes }
    last = math.max(last, ends)
  end
  return blocks
end

--- A time axis from `now` on: periods in order, each with the nodes that are free in it. The last one never ends.
function Plan.new(now, nodes, blocks)
  local sorted = table.copy(blocks)
  table.sort(sorted, function(a, b) return a.ends < b.ends end)
  local free = nodes
  for _, block in ipairs(sorted) do free = without(free, block.nodes) end
  local head = { begin = now, free = free }
  local last = head
  -- Two jobs never have a node in common: what ends gives back what it had.
  for _, block in ipairs(sorted) do
    if block.ends > last.begin then
      last.next = { begin = block.ends, free = table.copy(last.free) }
      last = last.next
    end
    for w = 1, #block.nodes do last.free[w] = last.free[w] | block.nodes[w] end
  end
  return setmetatable({ head = head, tried = {}, nodes = count(nodes) }, Plan)
end

--- Whether n nodes are free for so long from the beginning of a period on: these nodes, the last period that is needed,
--- and when it is over.
local function room(first, n, length)
  local free, ends = table.copy(first.free), first.begin + length
  if count(free) < n then return nil end
  local last = first
  while last.next and last.next.begin < ends do
    last = last.next
    for w = 1, #free do free[w] = free[w] & last.free[w] end
    if count(free) < n then return nil end
  end
  return free, last, ends
end

--- Nodes on which a job fits from the beginning of a period on: as room(), without those that are closed to it then:
--- when the first of these opens, and how many there are, are further results. `closed` as for starts().
local function open_room(first, n, length, closed, job)
  local free, last, ends = room(first, n, length)
  if not free or not closed then return free, last, ends end
  local shut, opens = closed(job, first.begin)
  if not shut then return free, last, ends end
  free = without(free, shut)
  return count(free) >= n and free or nil, last, ends, opens, count(shut)
end

--- So often a job's place may be put off because nodes are closed: nodes that are closed again and again may never be
--- open for as long as it takes.
local most_closed = 100

--- From when on the job that did not fit in a period is to be looked for a place: `opens`, if that is in the period,
--- else the next one.
local function next_period(first, opens)
  if opens and opens < (first.next and first.next.begin or math.huge) then
    first.next = { begin = opens, free = table.copy(first.free), next = first.next }
  end
  return first.next
end

--- The nodes of a set become taken from the beginning of a period on, up to `ends`, which is in the period `last`.
local function take(nodes, first, last, ends)
  if not (last.next and last.next.begin == ends) then
    last.next = { begin = ends, free = table.copy(last.free), next = last.next }
  end
  local behind, period = last.next, first
  while period ~= behind do
    period.free = without(period.free, nodes)
    period = period.next
  end
end

--- The period at that time, which begins then; the first one where that is earlier.
local function period_at(first, time)
  while first.next and first.next.begin <= time do first = first.next end
  return first.begin < time and next_period(first, time) or first
end

--- Gives a job its place: the earliest time at which n nodes are free and open for so long, and of these the first n.
--- `job.closed_until`: before, too many are closed whatever runs, as plans before have found.
---@return number? start Nil if the machine is too small, or none is found.
---@return integer[]? nodes
---@return number? from With no start: there may be a place from then on.
function Plan:place(n, length, closed, job)
  local tried = self.tried[n] or {} -- free nodes only get fewer: an equal job need not look before its place again
  self.tried[n] = tried
  local first, put_off = tried[length] or self.head, 0
  local known = closed and math.max(job.closed_until or self.head.begin, self.head.begin)
  if known == math.huge then return nil end
  if known and first.begin < known then first, put_off, self.closed = period_at(first, known), 1, true end
  local unbroken = known and first.begin <= known
  local free, last, ends, opens, shut = open_room(first, n, length, closed, job)
  while not free do
    unbroken = unbroken and opens ~= nil and self.nodes - shut < n
    if unbroken then job.closed_until = opens end
    if opens then
      if put_off == 0 then tried[length] = first end -- to others it may be open
      put_off, self.closed = put_off + 1, true
      if put_off >= most_closed then return nil, nil, opens end
    end
    first = next_period(first, opens)
    if not first then return nil end
    free, last, ends, opens, shut = open_room(first, n, length, closed, job)
  end
  if put_off == 0 then tried[length] = first end
  local nodes = first_of(free, n)
  take(nodes, first, last, ends)
  return first.begin, nodes
end

--- Plans the waiting jobs and returns those that are to start now, in order, each as { job, nodes }.
---@param waiting table[] In order of submission: `count`, `limit`.
--- `closed(job, begin)`: the set of nodes that the job cannot have if it starts then, and when the first of them opens;
--- nil: it can have all.
---@return table[] starts
---@return number? again Where nodes are closed: as long as nothing else happens, nothing starts before.
function Plan.starts(now, nodes, current, waiting, margin, faulty, closed)
  local plan, starts, again = Plan.new(now, nodes, Plan.blocks(current, now, margin, faulty)), {}, math.huge
  for _, job in ipairs(waiting) do
    local start, own, from = plan:place(job.count, job.limit + margin, closed, job)
    if start and start <= now then starts[#starts + 1] = { job = job, nodes = own }
    else again = math.min(again, start or from or math.huge) end
  end
  return starts, plan.closed and again or nil
end

return Plan
