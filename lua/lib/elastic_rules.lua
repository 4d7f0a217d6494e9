-- Who gives nodes up and who gets them: rules named for what a job is given to start with and kept at, its least, its
-- preferred size, or its share on average.
--
-- Each rule has `start_size(entry, free)`, with how many nodes a job starts, nil where too few are free; `needed`,
-- the field that says how many it needs; `shrink(book, entry)`, by which running jobs give up nodes for a waiting
-- one, where the least that it needs can be had; and `expand(book)`, which hands out free nodes. A rule for rigid
-- jobs has neither.
local rules = {}

-- How far a job is above what it should have.

local function above_least(entry) return entry.nodes - entry.least end
local function above_preferred(entry) return entry.nodes - entry.preferred end
local function balance(entry) return (entry.nodes - entry.least) / (entry.most - entry.least) end

--- How many nodes the running jobs have above that floor, the name of a field.
function rules.spare(running, floor)
  local sum = 0
  for i = 1, #running do
    local entry = running[i]
    local over = entry.nodes - entry[floor]
    if over > 0 then sum = sum + over end
  end
  return sum
end

--- Of the jobs above that bound (`side` 1) or below it (-1) the one that is furthest to that side by `height`; the
--- first of several.
local function furthest(side, running, bound, height)
  local best, most
  for i = 1, #running do
    local entry = running[i]
    if side * (entry.nodes - entry[bound]) > 0 then
      local h = side * height(entry)
      if not best or h > most then best, most = entry, h end
    end
  end
  return best
end

local function highest(running, floor, height) return furthest(1, running, floor, height) end
local function lowest(running, ceiling, height) return furthest(-1, running, ceiling, height) end

--- Takes so many nodes for the waiting job, from the highest first, of each what is above the floor. Returns false if
--- there are not as many.
local function take(book, waiter, nodes, floor, height)
  local running = book.steady
  if nodes > rules.spare(running, floor) then return false end
  while nodes > 0 do
    local entry = highest(running, floor, height)
    local given = math.min(nodes, entry.nodes - entry[floor])
    book:shrink(entry, given, waiter)
    nodes = nodes - given
  end
  return true
end

--- Gives free nodes to running jobs, to the lowest first, to each up to the ceiling.
local function give(book, ceiling, height)
  local running, loose = book.steady, book:loose()
  while loose > 0 do
    local entry = lowest(running, ceiling, height)
    if not entry then break end
    local given = math.min(loose, entry[ceiling] - entry.nodes)
    book:expand(entry, given)
    loose = loose - given
  end
end

--- Starts with `field` nodes.
local function starts_with(field)
  return function(entry, free) return entry[field] <= free and entry[field] or nil end
end

-- Rigid jobs: all of them are.

rules.rigid = { start_size = starts_with "preferred", needed = "preferred" }

-- Jobs start with their least. Those furthest above give up to there, and those nearest get as much as they can use.

rules.min = {
  start_size = starts_with "least", needed = "least",
  shrink = function(book, entry) take(book, entry, entry.least, "least", above_least) end,
  expand = function(book) give(book, "most", above_least) end,
}

-- Jobs start with their preferred size, or with less if they must. Running ones keep theirs, if that does.

rules.pref = {
  start_size = function(entry, free) return entry.least <= free and math.min(entry.preferred, free) or nil end,
  needed = "least",
  shrink = function(book, entry)
    local _ = take(book, entry, entry.preferred, "preferred", above_preferred)
      or take(book, entry, entry.least, "preferred", above_preferred)
      or take(book, entry, entry.least, "least", above_preferred)
  end,
  expand = function(book)
    give(book, "preferred", above_preferred)
    give(book, "most", above_preferred)
  end,
}

-- All jobs are to be at the same part of the way from their least to their most. The study's way to weigh what was
-- taken or given already is the wrong one: who gives is taken to be higher up then, and gives on down to the least, and
-- who gets gets on, though it may be full.

--- Whom the right way takes single nodes from.
local function take_singly(running, nodes)
  local function after(entry) return (entry.nodes - entry.shift - entry.least) / (entry.most - entry.least) end
  for _ = 1, nodes do
    local entry = highest(running, "floor", after)
    entry.shift, entry.floor = entry.shift + 1, entry.floor + 1
  end
end

local function take_all_of_each(running, nodes)
  while nodes > 0 do
    local entry = highest(running, "floor", balance)
    local given = math.min(nodes, entry.nodes - entry.floor)
    entry.shift, entry.floor = given, entry.nodes
    nodes = nodes - given
  end
end

local function average_shrink(taking)
  return function(book, waiter)
    local running = book.steady
    for _, entry in ipairs(running) do entry.shift, entry.floor = 0, entry.least end
    taking(running, waiter.least)
    for _, entry in ipairs(running) do
      if entry.shift > 0 then book:shrink(entry, entry.shift, waiter) end
    end
  end
end

--- Nodes are given singly.
local function average_expand(book)
  local running, loose = book.steady, book:loose()
  local function after(entry) return (entry.nodes + entry.shift - entry.least) / (entry.most - entry.least) end
  for _, entry in ipairs(running) do entry.shift, entry.ceiling = 0, entry.most end
  for _ = 1, loose do
    local entry = lowest(running, "ceiling", after)
    if not entry then break end
    entry.shift, entry.ceiling = entry.shift + 1, entry.ceiling - 1
  end
  for _, entry in ipairs(running) do
    if entry.shift > 0 then book:expand(entry, entry.shift) end
  end
end

--- One job gets all that it can take; none does, if that is nothing.
local function average_expand_one(book)
  local lowest_of_all, least
  for _, entry in ipairs(book.steady) do
    local h = balance(entry)
    if not least or h < least then lowest_of_all, least = entry, h end
  end
  local given = math.min(lowest_of_all.most - lowest_of_all.nodes, book:loose())
  if given > 0 then book:expand(lowest_of_all, given) end
end

rules.average = {
  start_size = starts_with "least", needed = "least",
  shrink = average_shrink(take_singly),
  expand = average_expand,
}

rules.average_wrong_way = {
  start_size = starts_with "least", needed = "least",
  shrink = average_shrink(take_all_of_each),
  expand = average_expand_one,
}

return rules
