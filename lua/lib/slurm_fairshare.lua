-- Fair share as Slurm's multifactor plugin computes it: usage of associations, which decays at each calculation of
-- priorities, and from it the factor of each association (Fair Tree, the default since 19.05, or the classic formula).
--
--   local shares = require("slurm_fairshare").new(site.accounts, site.users, { half_life = 604800, period = 300 })
--   shares:start(job.user, job.group, cpus, now)   -- in the hook `started`
--   shares:stop(job.user, job.group, cpus, now)    -- in the hook `ended`
--   shares:advance(now)                            -- before the factors are asked for
--   shares:association(job.user, job.group).factor -- from 0 to 1, after shares:refresh()
local tolerance = require("slurm_instants").tolerance

local few_calculations = 10000 -- so many are made one by one, as Slurm does; more make up for years

local Shares = {}
Shares.__index = Shares

local function new_association(entry, parent)
  local share = entry.Fairshare == "parent" and 0 or entry.Fairshare or 1
  return { name = entry.name, share = share, parent = parent, children = {}, usage = 0, factor = 0, rate = 0, jobs = 0,
    part = 1, effective = 1,
           inherits = entry.Fairshare == "parent" }
end

--- Of siblings at the same level users come first, then those that were there before.
local function add_child(parent, child)
  table.insert(parent.children, child)
  child.rank = #parent.children + (child.is_user and 0 or 1000000)
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
  local user = new_association(entry, account)
  user.is_user = true
  add_child(account, user)
  self.count = self.count + 1
  if entry.number then
    self.users[entry.number] = self.users[entry.number] or {}
    table.insert(self.users[entry.number], user)
  end
  return user
end

--- With a half-life of 0 usage never fades. `classic`: the formula before Fair Tree, with its damping; `oblivious`:
--- DEPTH_OBLIVIOUS.
---@param accounts table[] name, number, parent, Fairshare
---@param users table[] name, number, account, Fairshare
--- `since`, from slurm_resets: usage before that is forgotten.
--- @param options table half_life, period, first, classic, oblivious, damping, and since, a function of the instant
function Shares.new(accounts, users, options)
  local self = setmetatable({ root = new_association({ name = "root" }), accounts = {}, users = {}, count = 0,
                              running = {}, changed = {}, options = options, at = options.first or 0 }, Shares)
  self.fading = options.half_life > 0 and 1 - 0.693 / options.half_life or 1 -- Slurm's constant, not ln 2
  local by_name = add_accounts(self, accounts)
  add_user(self, { name = "root", Fairshare = 1 }, self.root) -- which each cluster has
  for _, entry in ipairs(users) do add_user(self, entry, by_name[entry.account] or self.root) end
  if options.classic then self:set_accounts() end
  self:compute()
  return self
end

--- The association of a user in an account; one that is not known gets one with a share of 1.
function Shares:association(user, account)
  for _, known in ipairs(self.users[user] or {}) do
    if known.parent == self.accounts[account] or not self.accounts[account] then return known end
  end
  self:refresh() -- it had no part in calculations before
  return add_user(self, { name = "user" .. user, number = user, Fairshare = 1 }, self.accounts[account] or self.root)
end

--- Adds what jobs have used that ran all the time since the last calculation, and lets all fade.
local function fade(association, passed, by)
  if association.usage == 0 and association.jobs == 0 then return end -- nor has any below it
  association.usage = (association.usage + association.rate * passed) * by
  for _, child in ipairs(association.children) do fade(child, passed, by) end
end

--- What the job uses in each second counts from the last calculation on, for its association and the accounts above it;
--- or, with a `sign` of -1, no longer.
local function count_rate(job, sign)
  local association = job.association
  while association do
    association.jobs = association.jobs + sign
    association.rate = association.jobs > 0 and association.rate + sign * job.cpus or 0
    association = association.parent
  end
end

--- From now on the job of the association uses these CPUs.
function Shares:start(id, association, cpus, now)
  self:advance(now)
  local job = { association = association, cpus = cpus, since = now }
  self.running[id] = job
  table.insert(self.changed, job)
end

--- It has ended; what it used since the last calculation counts at the next one.
function Shares:stop(id, now)
  self:advance(now)
  local job = self.running[id]
  self.running[id], job.ended = nil, now
  if not job.counted then return end -- it has started since then
  count_rate(job, -1)
  table.insert(self.changed, job)
end

--- One calculation: usage fades, and what was used since the last one is added. Most jobs have used all of the time.
local function calculate(self, now)
  local at, fading, passed = self.at, self.fading, now - self.at
  local since = self.options.since
  if since and since(now) > at then fade(self.root, 0, 0) end
  fade(self.root, passed, fading ^ passed)
  for _, job in ipairs(self.changed) do
    local used = math.max((job.ended or now) - math.max(job.since, at), 0)
    local amount, association = job.cpus * used * fading ^ used, job.association
    while association do
      association.usage = association.usage + amount
      association = association.parent
    end
    if not job.ended then
      job.counted = true
      count_rate(job, 1)
    end
  end
  self.changed, self.at, self.stale = {}, now, true
end

--- Brings the factors up to the last calculation; before they are read. Of the calculations of a time in which no job
--- waits only the last one's are.
function Shares:refresh()
  if not self.stale then return end
  self.stale = false
  self:compute()
end

--- Of so many calculations in which nothing runs usage only fades, or is forgotten: all at once.
local function pass_idle(self, calculations)
  local since, passed = self.options.since, calculations * self.options.period
  local forgotten = since and since(self.at + passed) > self.at
  fade(self.root, 0, forgotten and 0 or self.fading ^ passed)
  self.at, self.stale = self.at + passed, true
end

--- Makes up for the calculations up to now. Whether there was one.
function Shares:advance(now)
  local any, latest = false, now + tolerance(now)
  local period = self.options.period
  while self.at + period < latest do
    local idle = #self.changed == 0 and math.floor((latest - self.at) / period) - few_calculations or 0
    if idle > 0 and table.is_empty(self.running) then pass_idle(self, idle) end
    -- the last one's alone are read
    if self.options.classic and self.at + 2 * period >= latest then self:set_accounts() end
    calculate(self, self.at + period)
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
    local below = #a.children
    local unused = a.usage == 0 and below -- as long as none is used and none comes, those below stay where they are
    if below > 0 and not (unused and a.unused == unused) then set_levels(a.children) end
    a.unused = unused
  end
end

--- Sorts a list that is nearly sorted: from one calculation to the next few associations change places.
local function sort_by_level(list)
  for i = 2, #list do
    local a, j = list[i], i - 1
    local level, rank = a.level, a.rank
    while j > 0 do
      local b = list[j]
      if b.level > level or (b.level == level and b.rank < rank) then break end
      list[j + 1] = b
      j = j - 1
    end
    list[j + 1] = a
  end
  return list
end

local function by_level(siblings)
  if not siblings.sorted or #siblings.sorted ~= #siblings then siblings.sorted = { table.unpack(siblings) } end
  return sort_by_level(siblings.sorted)
end

--- The same of several accounts' children together, in their order.
local function by_level_together(children)
  local place = {}
  for i, a in ipairs(children) do place[a] = i + (a.is_user and 0 or 1000000) end
  table.sort(children, function(a, b)
    if a.level ~= b.level then return a.level > b.level end
    return place[a] < place[b]
  end)
  return children
end

--- Walks the tree, the best level first, and counts users down; those of equal accounts are looked at together.
local function rank(sorted, state, tied_account)
  local i, before = 1, nil
  while i <= #sorted do
    local a = sorted[i]
    local tied = before == nil and tied_account or before == a.level
    before = a.level
    if a.is_user then
      if not tied then state.shown = state.left end
      a.factor = state.shown / state.count
      state.left = state.left - 1
    else
      local together
      while sorted[i + 1] and sorted[i + 1].level == a.level do
        i = i + 1
        together = together or { table.unpack(a.children) }
        table.move(sorted[i].children, 1, #sorted[i].children, #together + 1, together)
      end
      rank(together and by_level_together(together) or by_level(a.children), state, tied)
    end
    i = i + 1
  end
end

--- A number of siblings in all.
local function sum(siblings, of)
  local all = 0
  for _, a in ipairs(siblings) do all = all + of(a) end
  return all
end

--- The association's part of what the whole cluster has used.
local function used_part(self, association)
  return self.root.usage > 0 and math.min(association.usage / self.root.usage, 1) or 0
end

--- Slurm's effective usage: of one's own part, and of what one's account has used beside it, the part that one's share
--- is.
local function effective(self, child, above, shares)
  local own = used_part(self, child)
  return shares > 0 and own + (above.effective - own) * child.share / shares or above.effective
end

--- The same with DEPTH_OBLIVIOUS: how far the account is from its share, times how far one is from one's own among its
--- children, which counts less where it would make up for the account.
local function oblivious(self, child, above)
  local own = used_part(self, child)
  if child.part == 0 or above.part == 0 or above.effective == 0 or own == 0 then return own end
  local of_account = above.effective / above.part
  local of_children = sum(above.children, function(a) return a.inherits and 0 or used_part(self, a) end) / above.part
  local among = own / child.part / of_children
  local weakens = of_account > 0 and among > 0 and math.log(of_account) * math.log(among) < 0
  return of_account * among ^ (weakens and 1 / (1 + (5 * math.log(of_account)) ^ 2) or 1) * child.part
end

--- Shares and effective usage of an account's children, of the whole cluster's: those of accounts, or of users.
local function set_effective(self, account, users)
  local shares = sum(account.children, function(a) return a.share end)
  for _, child in ipairs(account.children) do
    local is_user = child.is_user == true
    if is_user == users then
      if child.inherits then child.part, child.effective = account.part, account.effective
      else
        child.part = shares > 0 and account.part * child.share / shares or 0
        if account == self.root then child.effective = used_part(self, child)
        elseif self.options.oblivious then child.effective = oblivious(self, child, account)
        else child.effective = effective(self, child, account, shares) end
      end
    end
    if not is_user then set_effective(self, child, users) end
  end
end

--- What accounts have used by now.
function Shares:set_accounts() set_effective(self, self.root, false) end

--- 2^-(effective usage / share / damping) of users (Slurm's formula before Fair Tree). What accounts have used is that
--- before the last calculation: Slurm looks at them before it.
local function classic(self, account)
  for _, child in ipairs(account.children) do
    child.factor = child.part > 0 and 2 ^ -(child.effective / child.part / (self.options.damping or 1)) or 0
    classic(self, child)
  end
end

--- The factors of all associations by their usage now.
function Shares:compute()
  if self.options.classic then
    set_effective(self, self.root, true)
    return classic(self, self.root)
  end
  set_levels(self.root.children)
  rank(by_level(self.root.children), { left = self.count, shown = self.count, count = self.count }, false)
end

return Shares
