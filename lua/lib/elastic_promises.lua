-- Promises of nodes. A running job that shrinks for a waiting one promises it what it gives up, once that is free.
-- Three ways to redeem promises: a job starts on its own nodes, on any that are promised to some job, or on any that
-- are free.
local Promises = {}
Promises.__index = Promises

--- A running job is to give up so many nodes for a waiting one.
function Promises:give(waiter, giver, nodes)
  local gift = { waiter = waiter, nodes = nodes }
  local gifts = giver.gifts
  if gifts then gifts[#gifts + 1] = gift else giver.gifts = { gift } end
  self:note(gift)
  waiter.promise, waiter.missing = waiter.promise + nodes, waiter.missing + nodes
end

-- What the common pool does, and the others do not: it remembers gifts, and takes nodes that were not promised.

function Promises.note() end
function Promises.take_others() end

--- What the running job was to give up is free.
function Promises:come_free(giver)
  local gifts = giver.gifts
  if not gifts then return end
  for i = 1, #gifts do
    local gift = gifts[i]
    self.free = self.free + gift.nodes
    gift.waiter.missing = gift.waiter.missing - gift.nodes
    gift.nodes = 0
  end
  giver.gifts = nil
end

--- Breaks the promises of those gifts that are not free yet, as many as there are of so many nodes. Returns how many
--- are left.
local function break_gifts(book, nodes, waiter)
  for _, giver in ipairs(book.changing) do
    for _, gift in ipairs(giver.gifts or {}) do
      if not waiter or gift.waiter == waiter then
        local broken = math.min(gift.nodes, nodes)
        gift.nodes, nodes = gift.nodes - broken, nodes - broken
      end
    end
  end
  return nodes
end

--- What was promised to the job is promised to no job: its own nodes that are not free yet, then free ones.
function Promises:forget(book, waiter)
  local nodes = break_gifts(book, waiter.promise, waiter)
  local free = math.min(nodes, self.free)
  self.free = self.free - free
  break_gifts(book, nodes - free)
end

--- Goes through the jobs with promises in order and starts those that can. `promised_of(self, book, entry)` returns how
--- many of their nodes are promised ones, nil for a job that has to wait.
local function redeem(promised_of)
  return function(self, book)
    local list, i = book.promised, 1
    while i <= #list do
      local entry = list[i]
      local promised = promised_of(self, book, entry)
      if promised and entry.promise <= book.free and book:may_start(entry, entry.promise) then
        table.remove(list, i)
        self.free = self.free - promised
        self:take_others(entry.promise - promised)
        book:launch(entry, entry.promise)
      else
        i = i + 1
      end
    end
  end
end

local kinds = {}

--- A job starts when all nodes are free that were given up for it.
kinds.agreement = {
  redeem = redeem(function(_, _, entry) return entry.missing == 0 and entry.promise or nil end),
}

--- A job starts when as many are free that were given up for anybody: it swaps its own for them.
kinds.steal_agreement = {
  redeem = redeem(function(self, _, entry) return entry.promise <= self.free and entry.promise or nil end),
}

--- Breaks promises of so many nodes that are not free yet, the latest first.
local function break_latest(gifts, nodes)
  while nodes > 0 do
    local gift = gifts[#gifts]
    local broken = math.min(gift.nodes, nodes)
    gift.nodes, nodes = gift.nodes - broken, nodes - broken
    if gift.nodes == 0 then gifts[#gifts] = nil end
  end
end

--- A job starts when as many are free, promised or not. It takes promised ones first; for each other one that it
--- takes a promise is broken. Whose that was does not matter, as only numbers count.
kinds.common_pool = {
  note = function(self, gift) self.gifts[#self.gifts + 1] = gift end,
  take_others = function(self, nodes) break_latest(self.gifts, nodes) end,
  redeem = redeem(function(self, _, entry) return math.min(entry.promise, self.free) end),
}

for _, kind in pairs(kinds) do kind.__index = setmetatable(kind, Promises) end

local promises = {}

--- No promises yet. `kind` is "agreement", "steal_agreement" or "common_pool". `free`: nodes that are free and
--- promised.
function promises.new(kind) return setmetatable({ free = 0, gifts = {} }, kinds[kind]) end

return promises
