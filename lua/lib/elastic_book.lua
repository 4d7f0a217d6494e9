-- The account that a strategy for elastic jobs keeps: who waits, who runs on how many nodes, what was ordered and is
-- not in force yet, and what is promised to whom. All of it is numbers of nodes, as if nodes were alike: what a job
-- cannot have of them, `settle`, which hands the decisions on to the engine, takes back. The account may be behind the
-- engine by events of the same instant that the strategy has not been told of yet.
local Book = {}
Book.__index = Book

--- An empty one, of a machine with so many nodes. `promises` is what `elastic_promises` makes.
function Book.new(capacity, promises)
  return setmetatable({
    promises = promises,
    foresees = false,            -- whether it knows when jobs will end, with the nodes that they have
    separate = false,            -- whether it is told of the events of an instant one by one
    free = capacity,             -- nodes that are neither in use nor kept for a job that is to grow
    first = nil, last = nil,     -- jobs that wait without a promise, linked by `next` and `before`, in order of
                                 -- submission, as all of these
    promised = {},               -- jobs with a promise
    running = {},                -- if it foresees their ends
    steady = {},                 -- running jobs that may change and have no order that is not in force
    changing = {},               -- those that have one
    starting = {},               -- elastic jobs that started and may not have orders yet
    ordered = {},                -- those that got orders in the present decision
    late = {},                   -- orders that the engine is to have a nanosecond later
    silent = 0,                  -- orders that the engine does not know, as the number of nodes stays
    moved = false,               -- whether anything is other than at the beginning of the last decision
    refused = false,             -- whether the engine did not let a job start then
    full_at = -1,                -- when nodes that are free could not be given to a job
    count = 0,                   -- of the jobs that came so far
  }, Book)
end

-- Lists in order of submission.

local function insert(list, entry)
  local i, number = #list, entry.number
  while i > 0 and list[i].number > number do
    list[i + 1] = list[i]
    i = i - 1
  end
  list[i + 1] = entry
end

local function remove(list, entry)
  for i = 1, #list do
    if list[i] == entry then return table.remove(list, i) end
  end
end
Book.remove_from = remove

-- The queue of those that wait without a promise.

local function append(self, entry)
  local last = self.last
  if last then last.next, entry.before = entry, last else self.first = entry end
  self.last = entry
end

local function unlink(self, entry)
  local before, next = entry.before, entry.next
  if before then before.next = next else self.first = next end
  if next then next.before = before else self.last = before end
end

-- What happens.

--- The fewest and the most nodes that the job may have: its own, unless it is elastic and may have any number between
--- them, as strategies give any. The machine may not have as many nodes as its text says.
local function range(view, job)
  local own = job.nodes
  if job.elastic == "" then return own, own end
  local least, most = view:size(job, 0), view:size(job)
  if not least then return own, own end
  local first, last = job.sizes:match "^(%d+)%-(%d+)"
  if first and tonumber(first) <= least and most <= tonumber(last) then return least, most end
  if #view:sizes(job) <= most - least then return own, own end
  return least, most
end

--- Run times by number of nodes.
local function durations(view, job, is_elastic)
  if not is_elastic then return { [job.nodes] = job.estimate } end
  local by_nodes = {}
  for _, size in ipairs(view:sizes(job)) do by_nodes[size.nodes] = size.limit end
  return by_nodes
end

--- A job has come.
function Book:submit(view, job)
  local least, most = range(view, job)
  self.count = self.count + 1
  local entry = {
    job = job, number = self.count, is_elastic = least < most,
    has_choice = job.sizes ~= "" and view:size(job) ~= nil, -- else it goes on from a checkpoint, with the size it had
    least = least, preferred = job.nodes, most = most, -- nodes
    nodes = 0,   -- as ordered last
    held = 0,    -- on which it computes
    gained = 0,  -- kept for it until its order is in force
    promise = 0, -- while it waits: nodes that it was promised
    missing = 0, -- of these, the ones that are not free yet
    point = -1,  -- when it may change next, as of when that was asked
    begun = -1,  -- when it is told of events one by one: when its present step began, if that is known
    durations = self.foresees and durations(view, job, least < most) or nil,
  }
  job.entry = entry
  append(self, entry)
  self.moved = true
end

--- A waiting job is no longer there.
function Book:withdraw(entry)
  if remove(self.promised, entry) then self.promises:forget(self, entry) else unlink(self, entry) end
  self.moved = true
end

local function end_silence(self, entry)
  if not entry.is_silent then return end
  entry.is_silent, self.silent = false, self.silent - 1
end

--- A running job's order is in force, or void, where nodes that were kept for it have failed.
function Book:change(entry, now)
  entry.nodes = self.view:nodes(entry.job)
  if entry.ends then
    entry.ends = now + (entry.ends - now) * entry.durations[entry.nodes] / entry.durations[entry.held]
  end
  end_silence(self, entry)
  self.free = self.free + entry.held + entry.gained - entry.nodes
  entry.held, entry.gained, entry.is_changing = entry.nodes, 0, false
  self.promises:come_free(entry)
  remove(self.changing, entry)
  insert(self.steady, entry)
  self.moved = true
end

--- A running job has ended. What it was to get is free, and what it was to give up as well.
function Book:finish(entry)
  self.free = self.free + entry.held + entry.gained
  self.promises:come_free(entry)
  if self.foresees then remove(self.running, entry) end
  if entry.is_changing then
    end_silence(self, entry)
    remove(self.changing, entry)
  elseif entry.is_elastic then
    remove(self.steady, entry)
  end
  self.moved = true
end

-- What is decided.

--- Nodes that are free and promised to no job.
function Book:loose() return self.free - self.promises.free end

--- Whether running jobs may be given free nodes at this instant.
function Book:can_give() return self:loose() > 0 and self.full_at ~= self.view.now end

--- Whether a waiting job may start with so many nodes. They are free by the account; what else may stand in the way,
--- the engine knows.
function Book:may_start(entry, nodes)
  local job = entry.job
  if entry.has_choice then self.view:set_nodes(job, nodes) end
  local may = self.view:fits(job)
  if not may then self.refused = true end
  return may
end

--- It runs with so many nodes from now on, and has taken some that were free: fewer where it is beside other jobs.
local function run(self, entry, nodes, taken)
  entry.nodes, entry.held = nodes, nodes
  self.free = self.free - taken
  self.moved = true
  if self.foresees then
    entry.ends = self.view.now + (entry.durations[nodes] or entry.job.estimate)
    insert(self.running, entry)
  end
  if entry.is_elastic then
    entry.is_new = true
    self.starting[#self.starting + 1] = entry
  end
end

--- Starts a job that may, and is in no list.
function Book:launch(entry, nodes)
  local view = self.view
  local free = view.free
  entry.has_started = true
  view:start(entry.job)
  run(self, entry, nodes, free - view.free)
end

--- A job has started that the strategy did not start: in a slice of another class, on nodes that are left over there.
function Book:note_start(entry)
  self:withdraw(entry)
  entry.has_started = true
  run(self, entry, entry.job.nodes, entry.job.nodes)
end

--- Starts a job that waits without a promise.
function Book:start(entry, nodes)
  unlink(self, entry)
  self:launch(entry, nodes)
end

--- Lets it wait for what it was promised.
function Book:await(entry)
  unlink(self, entry)
  insert(self.promised, entry)
end

local function order(self, entry)
  if entry.is_ordered then return end
  entry.is_ordered = true
  insert(self.ordered, entry)
end

--- Orders a running job to give up nodes for a waiting one.
function Book:shrink(entry, nodes, waiter)
  entry.nodes = entry.nodes - nodes
  self.promises:give(waiter, entry, nodes)
  order(self, entry)
  self.view:note("shrink", nodes)
end

--- Gives free nodes to a running job.
function Book:expand(entry, nodes)
  entry.nodes, entry.gained = entry.nodes + nodes, entry.gained + nodes
  self.free = self.free - nodes
  order(self, entry)
  self.view:note("expand", nodes)
end

-- What the engine is told.

--- Where nodes have failed, the job gets fewer than it was to have.
local function cut(entry, free)
  local lacking = entry.nodes - entry.held - free
  if lacking > 0 then entry.nodes, entry.gained = entry.nodes - lacking, entry.gained - lacking end
end

--- What it was to gain is on nodes that it cannot have, as the machine's nodes are not alike, or is held for others.
local function give_back(self, entry)
  self.free = self.free + entry.gained
  entry.nodes, entry.gained = entry.nodes - entry.gained, 0
  self.full_at = self.view.now
end

--- Hands an order on. `due` is now if one is in force now. Where the number of nodes stays, the engine has nothing to
--- do, but the strategy takes the job to change.
local function hand_on(self, entry, view, now)
  cut(entry, view.free)
  if entry.nodes > entry.held and not view:can_resize(entry.job, entry.nodes) then give_back(self, entry) end
  if entry.nodes ~= entry.held then
    if view:resize(entry.job, entry.nodes) then entry.point = now end
  else
    entry.is_silent, self.silent = true, self.silent + 1
    entry.point = view:next_point(entry.job) or math.huge
  end
  if entry.point == now then self.due = now end
end

--- An order for a job that has ended meanwhile is void. To the engine a job is at its point for the whole instant.
--- Where its next step has begun, the order is for the point after that.
local function order_change(self, entry, view, now)
  entry.is_changing, entry.is_ordered = true, false
  remove(self.steady, entry)
  insert(self.changing, entry)
  if entry.over then return end
  if entry.begun == now then
    self.late[#self.late + 1] = entry
    view:wake(now + 1e-9)
  else
    hand_on(self, entry, view, now)
  end
end

--- Jobs that were started may be given orders from now on, where jobs may change; one whose nodes boot may later.
local function take_in_started(self, view, now)
  local starting, kept = self.starting, 0
  for i = 1, #starting do
    local entry = starting[i]
    starting[i] = nil
    if not entry.over and view:nodes(entry.job) then
      if self.separate and entry.is_new then entry.begun = now end
      insert(self.steady, entry)
    elseif not entry.over then
      kept = kept + 1
      starting[kept] = entry
    end
    entry.is_new = false
  end
end

--- Hands on what was decided.
function Book:settle(view, now)
  take_in_started(self, view, now)
  local ordered = self.ordered
  for i = 1, #ordered do
    order_change(self, ordered[i], view, now)
    ordered[i], self.moved = nil, true
  end
end

--- Nodes may have failed, or come back. Otherwise fewer are free by the account where it does not know yet what the
--- engine knows, and as many where it does and there are no orders. Whether more are free than it took to be.
function Book:reconcile(view, is_complete)
  local free, known = view.free, self.free
  if free < known or is_complete and #self.changing == 0 then self.free = free end
  return self.free > known
end

--- The same where the account knows of all changes that are in force: nodes for orders of which the engine does not
--- know are free there.
function Book:recount(view)
  local free = view.free
  for _, entry in ipairs(self.silent > 0 and self.changing or {}) do
    if entry.is_silent then free = free - entry.gained end
  end
  self.free = free
end

--- Hands on the orders that were left for later.
function Book:catch_up(view, now)
  local late = self.late
  for i = 1, #late do
    if not late[i].over then hand_on(self, late[i], view, now) end
    late[i] = nil
  end
end

return Book
