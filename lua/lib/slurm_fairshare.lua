-- Fair share as Slurm's multifactor plugin computes it: usage of associations, which decays at each calculation of
-- priorities, and from it the factor of each association (Fair Tree, the default since 19.05, or the classic formula).
--
--   local shares = require("slurm_fairshare").new(site.accounts, site.users, { half_life = 604800, period = 300 })
--   shares:start(job.user, job.group, cpus, now)   -- in the hook `started`
--   shares:stop(job.user, job.group, cpus, now)    -- in the hook `ended`
--   shares:advance(now)                            -- before the factors are asked for
--   shares:factor(job.user, job.group)             -- from 0 to 1
local Shares = {}
Shares.__index = Shares

local function new_association(entry, parent)
  local share = entry.Fairshare == "parent" and 0 or entry.Fairshare or 1
  return { name = entry.name, share = share, parent = parent, children = {}, usage = 0, factor = 0,
           inherits = entry.Fairshare == "parent" }
end

local function add_child(parent, child)
  table.insert(parent.children, child)
  return child
end

--- The tree of accounts under its root. Of an account whose parent is not there, that is the root.
local function add_accounts(self, accounts)
  local by_name, entries = { root = self.root }, {}
  for _, entry in ipairs(accounts) do entries[entry.name] = entry end
  local function account(entry)
    local known = by_name[entry.name]
    if known then return known end
    by_name[entry.name] = self.root -- where accounts are their own parents
    local parent = entries[entry.parent or "root"]
    known = new_association(entry, parent and account(parent) or self.root)
    by_name[entry.name] = add_child(known.parent, known)
    if entry.number then self.accounts[entry.number] = known end
    return known
  end
  for _, entry in ipairs(accounts) do account(entry) end
  return by_name
end

local function add_user(self, entry, account)
  local user = add_child(account, new_association(entry, account))
  user.is_user = true
  self.count = self.count + 1
  if entry.number then
    self.users[entry.number] = self.users[entry.number] or {}
    table.insert(self.users[entry.number], user)
  end
  return user
end

--- With a half-life of 0 usage never fades. `classic`: the formula before Fair Tree, with its damping.
---@param accounts table[] name, number, parent, Fairshare
---@param users table[] name, number, account, Fairshare
---@param options { half_life: number, period: number, first?: number, classic?: boolean, damping?: number }
function Shares.new(accounts, users, options)
  local self = setmetatable({ root = new_association({ name = "root" }), accounts = {}, users = {}, count = 0,
                              running = {}, order = {}, options = options, at = options.first or 0 }, Shares)
  self.fading = options.half_life > 0 and 1 - 0.693 / options.half_life or 1 -- Slurm's constant, not ln 2
  local by_name = add_accounts(self, accounts)
  add_user(self, { name = "root", Fairshare = 1 }, self.root) -- which each cluster has
  for _, entry in ipairs(users) do add_user(self, entry, by_name[entry.account] or self.root) end
  self:compute()
  return self
end

--- The association of a user in an account; one that is not known gets one with a share of 1.
function Shares:association(user, account)
  for _, known in ipairs(self.users[user] or {}) do
    if known.parent == self.accounts[account] or not self.accounts[account] then return known end
  end
  return add_user(self, { name = "user" .. user, number = user, Fairshare = 1 }, self.accounts[account] or self.root)
end

local function fade(association, by)
  association.usage = association.usage * by
  for _, child in ipairs(association.children) do fade(child, by) end
end

--- From now on the job of the association uses these CPUs.
function Shares:start(id, association, cpus, now)
  self:advance(now)
  self.running[id] = { association = association, cpus = cpus, since = now }
  table.insert(self.order, id)
end

--- It has ended; what it used since the last calculation counts at the next one.
function Shares:stop(id, now)
  self:advance(now)
  self.running[id].ended = now
end

--- One calculation: usage fades, and what was used since the last one is added. Most jobs have used all of the time.
local function calculate(self, now)
  local at, running, fading, passed = self.at, self.running, self.fading, now - self.at
  local faded = fading ^ passed
  fade(self.root, faded)
  local still, count = {}, 0
  for _, id in ipairs(self.order) do
    local job = running[id]
    local from, ended = job.since, job.ended
    if from < at then from = at end
    local used, by = passed, faded
    if ended or from > at then
      used = math.max((ended or now) - from, 0)
      by = fading ^ used
    end
    local amount, association = job.cpus * used * by, job.association
    while association do
      association.usage = association.usage + amount
      association = association.parent
    end
    if ended then
      running[id] = nil
    else
      count = count + 1
      still[count] = id
    end
  end
  self.order, self.at = still, now
  self:compute()
end

--- Makes up for the calculations up to now. Whether there was one.
function Shares:advance(now)
  local any = false
  while self.at + self.options.period < now + 1e-9 do -- instants are whole nanoseconds
    calculate(self, self.at + self.options.period)
    any = true
  end
  return any
end

--- The share of the siblings' shares over the share of their usage; an account without usage stands before all others.
local function set_levels(siblings)
  local shares, usage = 0, 0
  for _, a in ipairs(siblings) do
    shares = shares + a.share
    usage = usage + a.usage
  end
  for _, a in ipairs(siblings) do
    if a.inherits then a.level = 1 -- those that have their account's share are tied
    elseif a.usage <= 0 then a.level = math.huge
    else a.level = shares > 0 and (a.share / shares) / (a.usage / usage) or 0 end
    if #a.children > 0 then set_levels(a.children) end
  end
end

local function by_level(siblings)
  local sorted, place = { table.unpack(siblings) }, {}
  for i, a in ipairs(siblings) do place[a] = i end
  table.sort(sorted, function(a, b)
    if a.level ~= b.level then return a.level > b.level end
    if (a.is_user or false) ~= (b.is_user or false) then return a.is_user or false end
    return place[a] < place[b]
  end)
  return sorted
end

--- Walks the tree, the best level first, and counts users down; those of equal accounts are looked at together.
local function rank(siblings, state, tied_account)
  local sorted, i, before = by_level(siblings), 1, nil
  while i <= #sorted do
    local a = sorted[i]
    local tied = before == nil and tied_account or before == a.level
    before = a.level
    if a.is_user then
      if not tied then state.shown = state.left end
      a.factor = state.shown / state.count
      state.left = state.left - 1
    else
      local children = { table.unpack(a.children) }
      while sorted[i + 1] and sorted[i + 1].level == a.level do
        i = i + 1
        table.move(sorted[i].children, 1, #sorted[i].children, #children + 1, children)
      end
      rank(children, state, tied)
    end
    i = i + 1
  end
end

--- 2^-(usage / share / damping), of shares and usage of the whole cluster (Slurm's formula before Fair Tree).
local function classic(association, share, self)
  local shares = 0
  for _, child in ipairs(association.children) do shares = shares + child.share end
  for _, child in ipairs(association.children) do
    local own = child.inherits and share or shares > 0 and share * child.share / shares or 0
    local used = self.root.usage > 0 and child.usage / self.root.usage or 0
    child.factor = own > 0 and 2 ^ -(used / own / (self.options.damping or 1)) or 0
    classic(child, own, self)
  end
end

--- The factors of all associations by their usage now.
function Shares:compute()
  if self.options.classic then return classic(self.root, 1, self) end
  set_levels(self.root.children)
  rank(self.root.children, { left = self.count, shown = self.count, count = self.count }, false)
end

return Shares
