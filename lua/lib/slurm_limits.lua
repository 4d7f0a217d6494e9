-- Limits of Slurm's associations and qualities of service: what an association, a user or an account may have at the
-- same time, of jobs and of trackable resources (TRES), what it may have used, and what a single job may ask for. Names
-- are those of sacctmgr; of TRES: cpu, node, mem (MiB, or with K, M, G, T), gres/gpu of all types, gres/gpu:TYPE of
-- one, billing. As in Slurm, a limit of a type keeps only jobs waiting that name it; all that have it count.
--
-- What counts of the qualities of service that a job has is said first by one of them, then by its association and by
-- each account above that: a limit (of TRES, one for each resource) that a quality of service has puts the same limit
-- of the others out of force.
--
--   local limits = require("slurm_limits").new(site)
--   local reason = limits:submit(job)   -- nil, or why Slurm would not have taken the job
--   limits:counts_allow(job, now)       -- whether numbers of jobs and what has run let it start now: asked first
--   limits:allows(job, now, view, place) -- whether all limits do: what nodes are left is asked before
--   limits:prefers(job, node)           -- of nodes that count once, for the placement
--   limits:may_hold(job)                -- whether it may hold a place for later
--   limits:reason(job, now, view)       -- which limit keeps it from starting, in words; nil: none
--   limits:held_until(job, now)         -- where nothing runs: when it may start at the earliest, as far as is known
--   limits:start(job, now, nodes); limits:stop(job, now)
--   limits:withdraw(job)                -- it will not start
local Partitions = require "slurm_partitions"
local reasons = require "slurm_reasons"
local tres = require "slurm_tres"

local Limits = {}
Limits.__index = Limits

local function by_name(list)
  local found = {}
  for _, entry in ipairs(list or {}) do found[entry.name] = entry end
  return found
end

--- Reads the site's limits: an association's own, those of the accounts above it, and of qualities of service.
--- `options`: `fading`, what is left of usage after a second; `since`, from slurm_resets; `safe`, whether a job must be
--- able to end within GrpTRESMins; `calculated`, when priorities were last calculated by `now`, and `period`, how often
--- they are: what jobs have run since then counts for no limit until they end, and without them until then; `billing`,
--- what a job is billed a second.
---@param site table As for slurm_site.policy.
--- @param options? table
function Limits.new(site, options)
  options = options or {}
  local self = setmetatable({ accounts = {}, users = {}, qos = by_name(site.qos), partitions = {}, counts = {},
    rules = {},
    site = site, fading = options.fading or 1, since = options.since, safe = options.safe,
    used = {},
    calculated = options.calculated, period = options.period, billing = options.billing },
    Limits)
  local accounts = by_name(site.accounts)
  for _, account in pairs(accounts) do
    if account.number then self.accounts[account.number] = account end
    account.above = accounts[account.parent or ""]
  end
  for _, user in ipairs(site.users or {}) do
    user.above = accounts[user.account]
    if user.number then
      self.users[user.number] = self.users[user.number] or {}
      table.insert(self.users[user.number], user)
    end
  end
  for _, partition in ipairs(site.partitions or {}) do
    if partition.number then self.partitions[partition.number] = partition end
  end
  return self
end

--- What is counted for one holder of limits, of running jobs: how many there are, what they have (`on`: how many of
--- them are on each node; `kinds`: on how many nodes of each kind), and by the UsageFactor of their qualities of
--- service the `rate` at which they use it, its product with when their limits are up, and with since when that counts.
--- What was used up to `at`, the last calculation of priorities; a job has one of "wall". `changes` counts starts and
--- ends. `keeps`: of the amounts of minutes that have kept jobs, below which one of them may start; `eased` counts how
--- often that has happened.
local function new_count()
  return { jobs = 0, submitted = 0, has = {}, on = {}, kinds = {}, rate = {}, ends = {}, from = {}, used = {},
    at = -math.huge, keeps = {}, changes = 0, eased = 0 }
end

local function count_of(self, key)
  self.counts[key] = self.counts[key] or new_count()
  return self.counts[key]
end

--- The words of a holder, those of TRES by resource, without what `said` has already; with `keeps` it has these from
--- then on.
local function unsaid(words, kind, said, keeps)
  local left = {}
  for word, value in pairs(words) do
    local counts = type(value) == "number"
    for name, amount in pairs(counts and { [""] = value } or tres.amounts(value)) do
      local id = kind .. "/" .. word .. "/" .. name
      if not said[id] then
        if counts then left[word] = amount
        else
          left[word] = left[word] or {}
          left[word][name] = amount
        end
        if keeps then said[id] = true end
      end
    end
  end
  return left
end

local function timed(words) return words.running_minutes ~= nil or words.used_minutes ~= nil or words.wall ~= nil end

--- A rule of what one holder may have at the same time; nothing if it says nothing. Jobs that are not held to any of
--- that (`cap`) count for those that are. Slurm counts whole minutes. `of`: the holder, from slurm_reasons.
local function add_rule(self, rules, key, of, says, cap)
  if not tres.any(says) then return end
  local rule = { count = count_of(self, key), cap = cap, of = of, timed = timed(cap), key = key }
  if timed(says) then self.used[rule.count] = true end
  table.insert(rules, rule)
end

--- What the nearest of an association and the accounts above it says.
local function inherited(association, name)
  while association do
    if association[name] then return association[name] end
    association = association.above
  end
end

local function association_of(self, user, account)
  for _, entry in ipairs(self.users[user] or {}) do
    if entry.above == self.accounts[account] then return entry end
  end
  return (self.users[user] or {})[1] or self.accounts[account]
end

--- What the job's association, or the nearest account above it, says under that name.
function Limits:of_association(job, name) return inherited(association_of(self, job.user, job.group), name) end

local function group_limits(holder)
  return { jobs = holder.GrpJobs, submitted = holder.GrpSubmitJobs, has = holder.GrpTRES,
           used_minutes = holder.GrpTRESMins,
           running_minutes = holder.GrpTRESRunMins, wall = holder.GrpWall }
end

local function user_limits(qos)
  return { jobs = qos.MaxJobsPerUser, submitted = qos.MaxSubmitJobsPerUser, has = qos.MaxTRESPerUser,
           running_minutes = qos.MaxTRESRunMinsPerUser }
end

local function account_limits(qos)
  return { jobs = qos.MaxJobsPerAccount, submitted = qos.MaxSubmitJobsPerAccount, has = qos.MaxTRESPerAccount,
           running_minutes = qos.MaxTRESRunMinsPerAccount }
end

local function has_flag(qos, flag)
  return qos ~= nil and string.find("," .. string.lower(qos.Flags or "") .. ",", "," .. flag .. ",", 1, true) ~= nil
end

local function user_name(self, user)
  local entry = (self.users[user] or {})[1]
  return "user " .. (entry and entry.name or ("%d"):format(user))
end

local function account_name(self, account)
  local entry = self.accounts[account]
  return "account " .. (entry and entry.name or ("%d"):format(account))
end

--- Of an association in words: an account, or a user in one.
local function holder_of(association, level)
  local account = association.account
  return reasons.holder("Assoc", level, account and ("user %s in account %s"):format(association.name, account)
    or "account " .. association.name)
end

local function qos_rules(self, rules, qos, said, user, account)
  if not qos then return end
  if has_flag(qos, "nodecay") then count_of(self, "qos " .. qos.name).steady = true end
  local function add(key, level, whose, says)
    local of = reasons.holder("QOS", level, "quality of service " .. qos.name .. whose)
    add_rule(self, rules, key, of, says, unsaid(says, level, said, true))
  end
  add("qos " .. qos.name, "group", "", group_limits(qos))
  add(("qos %s user %d"):format(qos.name, user), "user", " for " .. user_name(self, user), user_limits(qos))
  add(("qos %s account %d"):format(qos.name, account), "account", " for " .. account_name(self, account),
      account_limits(qos))
end

--- The job's qualities of service, the one whose limits come first in front.
local function qos_of(self, job)
  local own, partition = self.qos[job.qos], self.partitions[Partitions.of(job)]
  local of_partition = partition and self.qos[partition.QOS or ""]
  if not of_partition or of_partition == own then return own end
  if not own then return of_partition end
  if has_flag(own, "overpartqos") then return own, of_partition end
  return of_partition, own
end

--- What a single job may have: limits of the association, or of a quality of service.
local function job_limits(says)
  return { most = says "MaxTRESPerJob", on_node = says "MaxTRESPerNode", minutes = says "MaxTRESMinsPerJob",
           wall = says "MaxWallDurationPerJob" }
end

--- What the limits of TRES of associations are multiplied by: the LimitFactor of the first quality of service that has
--- one.
local function limit_factor(self, job)
  for _, qos in ipairs { qos_of(self, job) } do
    if qos.LimitFactor then return qos.LimitFactor > 0 and qos.LimitFactor or 1 end
  end
  return 1
end

--- The words, the amounts of one of them multiplied, in whole numbers.
local function times(words, name, factor)
  for resource, amount in pairs(factor ~= 1 and words[name] or {}) do words[name][resource] = amount * factor // 1 end
  return words
end

--- The counts that the job's quality of service, partition, user and accounts are held to, in the order in which Slurm
--- asks.
local function find_rules(self, job)
  local rules, alone, said, association = {}, {}, {}, association_of(self, job.user, job.group)
  for _, qos in ipairs { qos_of(self, job) } do
    qos_rules(self, rules, qos, said, job.user, job.group)
    local own = unsaid(job_limits(function(name) return qos[name] end), "job", said, true)
    own.least = unsaid({ least = qos.MinTRESPerJob }, "job", said, true).least
    own.of = reasons.holder("QOS", "job", "quality of service " .. qos.name)
    table.insert(alone, own)
  end
  local least, threshold = 0, nil
  for _, qos in ipairs { qos_of(self, job) } do
    if least == 0 then least = qos.MinPrioThreshold or 0 end
  end
  local job_qos = self.qos[job.qos]
  if has_flag(job_qos, "enforceusagethreshold") then threshold = job_qos.UsageThreshold end
  if least == 0 then least = association and inherited(association, "MinPrioThreshold") or 0 end
  if not association then return { counts = rules, alone = alone, least = least, threshold = threshold } end
  local factor = limit_factor(self, job)
  local says = { jobs = inherited(association, "MaxJobs"), submitted = inherited(association, "MaxSubmitJobs") }
  local own = {}
  for word, most in pairs(says) do
    if not (said["user/" .. word .. "/"] or said["account/" .. word .. "/"]) then own[word] = most end
  end
  add_rule(self, rules, "user " .. job.user .. " " .. job.group, holder_of(association, "own"), says, own)
  local above = association
  while above do
    local group = group_limits(above)
    add_rule(self, rules, "association " .. (above.account or "") .. "/" .. above.name, holder_of(above, "group"),
             group, times(unsaid(group, "group", said, false), "has", factor))
    above = above.above
  end
  local own_job = unsaid(job_limits(function(name) return inherited(association, name) end), "job", said, false)
  own_job.of = holder_of(association, "job")
  table.insert(alone, times(own_job, "most", factor))
  return { counts = rules, alone = alone, least = least, threshold = threshold }
end

local function rules_of(self, job)
  local rules = job.limit_rules
  if rules then return rules end
  local key = ("%d %d %s %d"):format(job.user, job.group, job.qos, Partitions.of(job))
  rules = self.rules[key] or find_rules(self, job)
  self.rules[key], job.limit_rules = rules, rules
  return rules
end

--- What the job asks for, and as `billing` what it is billed for that.
local function asks_of(self, job)
  local known = job.limit_asks
  if known and known.node == job.nodes then return known end -- else it may have another number of them now
  known = {}
  local names, amounts = {}, {}
  local function put(name, amount)
    known[name] = amount
    table.insert(names, name)
    table.insert(amounts, amount)
  end
  for name, amount in pairs(tres.of(job)) do put(name, amount) end
  if self.billing then put("billing", self.billing(job) // 1) end
  job.limit_asks, job.limit_names, job.limit_amounts = known, names, amounts
  return known
end

--- The same as lists, of names and of amounts: these are walked at each start and end.
local function asks_as_lists(self, job)
  asks_of(self, job)
  return job.limit_names, job.limit_amounts
end

--- What of the amounts is above the limit, by name; nil: nothing.
local function above(amounts, limit, factor)
  for name, most in pairs(limit) do
    if (amounts[name] or 0) * (factor or 1) > most then return name end
  end
end

local function too_large(job, asks, rules)
  for _, one in ipairs(rules.alone) do
    local of = one.of
    local name = one.most and above(asks, one.most)
    if name then return reasons.asks(of, "most", name, one.most[name], asks[name]) end
    local on_node = one.on_node and tres.on_node(job)
    name = on_node and above(on_node, one.on_node)
    if name then return reasons.asks(of, "on_node", name, one.on_node[name], on_node[name]) end
    name = one.minutes and above(asks, one.minutes, job.limit / 60)
    if name then return reasons.minutes(of, name, one.minutes[name], asks[name] * job.limit / 60) end
    for least, amount in pairs(one.least or {}) do
      if (asks[least] or 0) < amount then return reasons.asks(of, "least", least, amount, asks[least] or 0) end
    end
    if job.limit > (one.wall or math.huge) then return reasons.longest(of, one.wall, job.limit) end
  end
  for _, rule in ipairs(rules.counts) do
    local name = rule.cap.has and above(asks, rule.cap.has)
    if name then return reasons.asks(rule.of, "has", name, rule.cap.has[name], asks[name]) end
  end
end

--- Why the job is too large for its limits, with the nodes that it would have now; nil: it is not.
function Limits:too_large(job) return too_large(job, asks_of(self, job), rules_of(self, job)) end

--- Counts the job as submitted; or says why it can never start, or would not have been taken.
function Limits:submit(job)
  local rules = rules_of(self, job)
  local reason = too_large(job, asks_of(self, job), rules)
  if reason then return reason end
  for _, rule in ipairs(rules.counts) do
    if rule.cap.submitted and rule.count.submitted >= rule.cap.submitted then
      return reasons.submitted(rule.of, rule.cap.submitted)
    end
  end
  self:accept(job)
end

--- Counts the job as submitted, whatever the limits say: on record Slurm has taken it.
function Limits:accept(job)
  job.submitted_under = rules_of(self, job).counts -- of one of several partitions others may come to hold
  for _, rule in ipairs(job.submitted_under) do rule.count.submitted = rule.count.submitted + 1 end
end

--- The job was cancelled while it waited.
function Limits:withdraw(job)
  for _, rule in ipairs(job.submitted_under or rules_of(self, job).counts) do
    rule.count.submitted = rule.count.submitted - 1
  end
end

--- Whether one of the limits of these names is set, and speaks of the resource.
local function any_of(self, names, resource)
  for _, holders in ipairs { self.site.accounts or {}, self.site.users or {}, self.site.qos or {} } do
    for _, holder in ipairs(holders) do
      for _, name in ipairs(names) do
        local list = holder[name]
        if list and not resource then return true end
        for limited in pairs(resource and list and tres.amounts(list) or {}) do
          if string.find(limited, resource) then return true end
        end
      end
    end
  end
  return false
end

--- Whether any limit can keep a job waiting: others only keep jobs from being submitted.
function Limits:hold_jobs()
  return any_of(self, { "GrpJobs", "GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "GrpWall", "MaxJobs", "MaxJobsPerUser",
                        "MaxJobsPerAccount", "MaxTRESPerUser", "MaxTRESPerAccount", "MaxTRESRunMinsPerUser",
                        "MaxTRESRunMinsPerAccount", "UsageThreshold" })
end

--- Whether jobs of low priority are not to hold places (MinPrioThreshold).
function Limits:has_thresholds() return any_of(self, { "MinPrioThreshold" }) end

--- Below this priority the job holds no place; 0: no limit says.
function Limits:least_priority(job) return rules_of(self, job).least end

--- Whether it matters which nodes jobs have: one that several are on counts once.
---@param site table As for slurm_site.policy.
function Limits.tell_nodes(site)
  return any_of({ site = site }, { "GrpTRES", "MaxTRESPerUser", "MaxTRESPerAccount" }, "^node$")
end

--- Whether it matters which type of GPUs jobs have.
---@param site table As for slurm_site.policy.
function Limits.tell_types(site)
  return any_of({ site = site }, { "GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "MaxTRESPerUser", "MaxTRESPerAccount",
    "MaxTRESRunMinsPerUser", "MaxTRESRunMinsPerAccount" }, "^gres/gpu:")
end

--- One calculation of priorities: usage fades, and what has run since the last one is added.
local function calculate(count, at, fading)
  local left = fading ^ (at - count.at)
  for name, amount in pairs(count.used) do count.used[name] = amount * left end
  for name, rate in pairs(count.rate) do
    count.used[name] = (count.used[name] or 0) + (at * rate - count.from[name]) * left
    count.from[name] = at * rate
  end
  count.at = at
end

--- Whole minutes of a resource that the running jobs may still take by their limits.
local function running_minutes(count, name) return ((count.ends[name] or 0) - (count.from[name] or 0)) // 60 end

local function used_minutes(count, name) return (count.used[name] or 0) // 60 end

--- The amounts of minutes that limits are about.
local minutes_of = {
  used = used_minutes,
  running = running_minutes,
  both = function(count, name) return used_minutes(count, name) + running_minutes(count, name) end,
}

--- So much of that, or more, keeps a job waiting from now on.
local function note_kept(count, what, name, least)
  local keeps = count.keeps[what] or {}
  count.keeps[what] = keeps
  keeps[name] = math.max(keeps[name] or least, least)
end

--- Whether less is there now than has kept one of the jobs.
local function look_at_kept(count)
  for what, keeps in pairs(count.keeps) do
    for name, least in pairs(keeps) do
      if minutes_of[what](count, name) < least then
        count.keeps, count.eased = {}, count.eased + 1
        return
      end
    end
  end
end

--- Brings the count up to the last calculation of priorities. Those of a time in which nothing ran are one.
local function settle(self, count, now)
  local last = self.calculated and self.calculated(now) or -math.huge
  if last <= count.at then return end
  if count.at == -math.huge then count.at = last - self.period end
  while count.at < last do
    local next_one = count.jobs > 0 and math.min(count.at + self.period, last) or last
    if self.since and self.since(next_one) > count.at then count.used = {} end
    calculate(count, next_one, count.steady and 1 or self.fading)
  end
  look_at_kept(count)
end

--- Whether the rule allows another job; if not, which counter says whether that may have changed.
local function counts_within(rule)
  local count, cap = rule.count, rule.cap
  if cap.jobs and count.jobs + 1 > cap.jobs then return false, "changes" end
  if cap.wall and used_minutes(count, "wall") >= cap.wall // 60 then
    note_kept(count, "used", "wall", cap.wall // 60)
    return false, "eased"
  end
  return true
end

--- Of the nodes that jobs of one holder are on, those that the job would get (`gets`), or could get.
local function known_nodes(count, gets)
  local known = 0
  for _, node in ipairs(gets) do known = known + ((count.on[node] or 0) > 0 and 1 or 0) end
  return known
end

--- Of a minute: amounts are whole ones, and more than a number is at least so much more.
local a_part = 0.5

--- `gets`: the nodes that the job would get, if these are known; those that count already count once. What the job
--- asks nothing of keeps it from nothing: GPUs of a type that others were given without naming it may be above a limit.
--- If not within, a counter as for counts_within(), and the name of what the jobs have too much of.
local function amounts_within(self, rule, job, asks, gets)
  local count, cap = rule.count, rule.cap
  for name, most in pairs(cap.has or {}) do
    local more = (asks[name] or 0) - (gets and name == "node" and known_nodes(count, gets) or 0)
    if (asks[name] or 0) > 0 and (count.has[name] or 0) + more > most then return false, "changes", name end
  end
  local minutes = job.limit // 60
  for name, most in pairs(cap.running_minutes or {}) do
    local wanted = (asks[name] or 0) * minutes
    if wanted > 0 and running_minutes(count, name) + wanted > most then
      note_kept(count, "running", name, most - wanted + a_part)
      return false, "eased"
    end
  end
  for name, most in pairs(cap.used_minutes or {}) do
    local used, wanted = used_minutes(count, name), (asks[name] or 0) * minutes
    if wanted > 0 and used >= most then
      note_kept(count, "used", name, most)
      return false, "eased"
    elseif wanted > 0 and self.safe and used + running_minutes(count, name) + wanted > most then
      note_kept(count, "both", name, most - wanted + a_part)
      return false, "eased"
    end
  end
  return true
end

--- The counts of those nodes on which a job is placed before others: of a limit of nodes of its qualities of service,
--- and of the nearest association that has one, unless a quality of service limits the nodes of all its jobs. Slurm
--- looks further up where no job has been yet.
local function preferred_counts(rules)
  local counts, all_jobs = {}, false
  for _, rule in ipairs(rules.counts) do
    local association = string.find(rule.key, "^association ") ~= nil
    local group = rule.of.level == "group"
    if rule.cap.has and rule.cap.has.node and not (association and all_jobs)
      and not table.is_empty(rule.count.on) then
      table.insert(counts, rule.count)
      all_jobs = all_jobs or group
    end
  end
  return counts
end

--- Whether the job is to be on the node before others of its kind: one that counts for a limit already, or one of a
--- kind of which none does. It is asked about all nodes on which the job fits.
---@param node coslice.Node
function Limits:prefers(job, node)
  local asked = self.asked
  if not asked or asked.job ~= job.id then
    asked = { job = job.id, counts = preferred_counts(rules_of(self, job)), known = {}, new = {} }
    self.asked = asked
  end
  local known, alike = false, false
  for _, count in ipairs(asked.counts) do
    known = known or (count.on[node.number] or 0) > 0
    alike = alike or (count.kinds[node.kind] or 0) > 0
  end
  table.insert(known and asked.known or asked.new, node.number)
  return known or not alike
end

--- The nodes that the job would get now, as far as they count already: of those on which it fits, these first; nil
--- where it does not fit.
function Limits:would_get(job, view, place)
  self.asked = nil
  if not view:fits(job, place) then return nil end
  local asked = self.asked
  if asked and asked.job == job.id then job.known_nodes = asked.known end -- else the answer was known
  return table.move(job.known_nodes or {}, 1, job.nodes, 1, {})
end

--- Whether the rule that has kept the job waiting, with as many nodes as it asks for now, still does so because nothing
--- has changed that this depends on.
local function still_kept(self, job, now)
  local count = job.kept_by
  if not count or job.kept_nodes ~= job.nodes then return false end
  if self.used[count] then settle(self, count, now) end
  return count[job.kept_for] == job.kept_at
end

--- `counts`: whether it is counts that keep the job, which are asked for first.
local function keep(job, count, counter, counts)
  job.kept_by, job.kept_for, job.kept_at, job.kept_nodes = count, counter, count[counter], job.nodes
  job.kept_counts = counts
  return false
end

--- Whether the rules leave room for the job.
local function allowed(self, job, now, all, view, place)
  if (all or job.kept_counts) and still_kept(self, job, now) then return false end
  local all_rules = rules_of(self, job)
  if all_rules.threshold and job.association and job.association.factor < all_rules.threshold then return false end
  local rules = all_rules.counts
  for _, rule in ipairs(rules) do
    if rule.timed then settle(self, rule.count, now) end
    local within, counter = counts_within(rule)
    if not within then return keep(job, rule.count, counter, true) end
  end
  if not all then return true end
  local asks, gets = asks_of(self, job), nil
  for _, rule in ipairs(rules) do
    local within, counter, name = amounts_within(self, rule, job, asks, gets)
    if not within and name == "node" and view and not gets then
      gets = self:would_get(job, view, place)
      if not gets then return false end
      within, counter = amounts_within(self, rule, job, asks, gets)
      if not within then return false end -- on other nodes it may be
    end
    if not within then return keep(job, rule.count, counter, false) end
  end
  return true
end

--- Whether each of the waiting jobs is kept by a limit as it was when it was last asked about: none can start.
function Limits:keep_all(view)
  for job in view:waiting() do
    if not still_kept(self, job, view.now) then return false end
  end
  return true
end

--- Why the rule would keep the job from starting if nothing ran, now and at all times to come; nil: it would not.
local function never_by(self, rule, job, asks)
  local count, cap, of, minutes = rule.count, rule.cap, rule.of, job.limit // 60
  local fades = self.since ~= nil or (self.fading < 1 and not count.steady)
  local function used_up(used, most) return most <= 0 or (not fades and used >= most) end
  if cap.jobs and cap.jobs < 1 then return reasons.jobs(of, cap.jobs, 0) end
  local wall = (count.used.wall or 0) // 60
  if cap.wall and used_up(wall, cap.wall // 60) then return reasons.wall(of, cap.wall // 60, wall) end
  for name, most in pairs(cap.running_minutes or {}) do
    local wants = (asks[name] or 0) * minutes
    if wants > most then return reasons.running_minutes(of, name, most, 0, wants) end
  end
  for name, most in pairs(cap.used_minutes or {}) do
    local used, wants = (count.used[name] or 0) // 60, (asks[name] or 0) * minutes
    if wants > 0 and used_up(used, most) then return reasons.used_minutes(of, name, most, used) end
    if wants > 0 and self.safe and wants + (fades and 0 or used) > most then
      return reasons.used_minutes(of, name, most, used, 0, wants)
    end
  end
end

--- Why the job will never start, whatever ends: its limits do not let it start where nothing runs, and no time that
--- passes changes that. Nil: it may, or that is not known.
function Limits:never(job, now)
  local asks = asks_of(self, job)
  for _, rule in ipairs(rules_of(self, job).counts) do
    if rule.timed then settle(self, rule.count, now) end
    local why = never_by(self, rule, job, asks)
    if why then return why end
  end
  local threshold = rules_of(self, job).threshold
  local settled = not self.stopped or (self.calculated and self.calculated(now) > self.stopped)
  if threshold and settled and self.fading >= 1 and not self.since and job.association
    and job.association.factor < threshold then
    return reasons.threshold(job.qos, threshold, job.association.factor)
  end
end

--- The rule's count as it is now; the count itself stays as it is.
local function count_now(self, rule, now)
  if not rule.timed then return rule.count end
  local count = table.copy(rule.count)
  count.used, count.from = table.copy(count.used), table.copy(count.from)
  settle(self, count, now)
  return count
end

--- Why what jobs have is not within the rule, in words; nil: it is. `gets()`: as allowed() asks where nodes that count
--- already count once; nil where the job does not fit, so that it is not the limit of nodes that keeps it.
local function reason_of_amounts(rule, job, asks, gets)
  for name, most in pairs(rule.cap.has or {}) do
    local has, wants = rule.count.has[name] or 0, asks[name] or 0
    if wants > 0 and has + wants > most then
      local nodes = name == "node" and gets
      local known = nodes and nodes()
      local counted = known and known_nodes(rule.count, known) or 0
      if (not nodes or known) and has + wants - counted > most then
        return reasons.has(rule.of, name, most, has, wants, counted)
      end
    end
  end
end

--- Why the counts are not within the rule, in words; nil: they are.
local function reason_of(self, rule, job, asks, now, gets)
  local count, cap, of, minutes = count_now(self, rule, now), rule.cap, rule.of, job.limit // 60
  if cap.jobs and count.jobs + 1 > cap.jobs then return reasons.jobs(of, cap.jobs, count.jobs) end
  local wall = (count.used.wall or 0) // 60
  if cap.wall and wall >= cap.wall // 60 then return reasons.wall(of, cap.wall // 60, wall) end
  local amounts = reason_of_amounts(rule, job, asks, gets)
  if amounts then return amounts end
  for name, most in pairs(cap.running_minutes or {}) do
    local running, wants = running_minutes(count, name), (asks[name] or 0) * minutes
    if wants > 0 and running + wants > most then return reasons.running_minutes(of, name, most, running, wants) end
  end
  for name, most in pairs(cap.used_minutes or {}) do
    local used, wants = (count.used[name] or 0) // 60, (asks[name] or 0) * minutes
    if wants > 0 and used >= most then return reasons.used_minutes(of, name, most, used) end
    local running = self.safe and running_minutes(count, name)
    if wants > 0 and running and used + running + wants > most then
      return reasons.used_minutes(of, name, most, used, running, wants)
    end
  end
end

--- Which limit keeps the job from starting now, in words, with Slurm's name for that; nil: none. Changes nothing that
--- decisions depend on.
function Limits:reason(job, now, view)
  local rules = rules_of(self, job)
  local association = job.association
  if rules.threshold and association and association.factor < rules.threshold then
    return reasons.threshold(job.qos, rules.threshold, association.factor)
  end
  local asks, known = asks_of(self, job), nil
  local function gets()
    if known == nil then known = self:would_get(job, view) or false end
    return known or nil
  end
  for _, rule in ipairs(rules.counts) do
    local reason = reason_of(self, rule, job, asks, now, view and gets)
    if reason then return reason end
  end
end

--- Whether numbers of jobs, and what has run, let the job start. Slurm asks this before it looks for nodes.
function Limits:counts_allow(job, now) return allowed(self, job, now, false) end

--- Whether all limits leave room for the job. With `view`, nodes that count already count once.
function Limits:allows(job, now, view, place) return allowed(self, job, now, true, view, place) end

--- Until when what has been used of a count of which nothing runs is not below `limit`, s.
local function fades_below(self, count, used, limit)
  if used < limit then return -math.huge end
  if limit <= 0 or count.steady or self.fading >= 1 then return math.huge end
  return count.at + math.log(limit / used) / math.log(self.fading)
end

--- Until when the rule keeps the job waiting, if nothing runs.
local function holds_until(self, rule, job, asks)
  local count, cap, held, minutes = rule.count, rule.cap, -math.huge, job.limit // 60
  local function hold(used, limit) held = math.max(held, fades_below(self, count, used or 0, limit)) end
  if cap.jobs and cap.jobs < 1 then held = math.huge end
  if cap.wall then hold(count.used.wall, cap.wall // 60 * 60) end
  for name, most in pairs(cap.running_minutes or {}) do
    if (asks[name] or 0) * minutes > most then held = math.huge end
  end
  for name, most in pairs(cap.used_minutes or {}) do
    local wants = (asks[name] or 0) * minutes
    if wants > 0 then hold(count.used[name], math.ceil(most) * 60) end
    if wants > 0 and self.safe then hold(count.used[name], (math.floor(most - wants) + 1) * 60) end
  end
  return held
end

--- Where nothing runs: until when limits keep the job waiting at least, whatever is free, because what was used fades
--- no sooner; not known, or they do not keep it: no time.
function Limits:held_until(job, now)
  if not self.calculated or self.since then return -math.huge end
  local asks, held = asks_of(self, job), -math.huge
  for _, rule in ipairs(rules_of(self, job).counts) do
    if rule.timed then settle(self, rule.count, now) end
    held = math.max(held, holds_until(self, rule, job, asks))
  end
  return held
end

--- Whether the job may hold a place for later: there all its nodes count.
function Limits:may_hold(job)
  local asks = asks_of(self, job)
  for _, rule in ipairs(rules_of(self, job).counts) do
    local most = rule.cap.has and rule.cap.has.node
    if most and (rule.count.has.node or 0) + (asks.node or 0) > most then return false end
  end
  return true
end

--- Nodes that several jobs are on count once.
local function add_nodes(count, nodes, sign)
  for _, part in ipairs(nodes) do
    local before = count.on[part.node] or 0
    count.on[part.node] = before + sign
    local more = (before == 0 and 1 or 0) - (before + sign == 0 and 1 or 0)
    count.has.node = (count.has.node or 0) + more
    count.kinds[part.kind] = (count.kinds[part.kind] or 0) + more
  end
end

--- What the job uses each second of what it asks for, as a part of it: the UsageFactor of its quality of service.
local function usage_factor(self, job)
  local qos = self.qos[job.qos]
  return qos and qos.UsageFactor or 1
end

--- `rate`: what a job uses of it each second; `ends`: when its limit is up.
local function add_rate(count, name, sign, rate, ends, since)
  count.rate[name] = (count.rate[name] or 0) + sign * rate
  count.ends[name] = (count.ends[name] or 0) + sign * rate * ends
  count.from[name] = (count.from[name] or 0) + sign * rate * since
end

--- `from`: since when what it may still run counts, where a limit asks for that.
local function add(self, job, sign, from)
  local names, amounts = asks_as_lists(self, job)
  local factor, nodes, ends = usage_factor(self, job), job.limit_nodes, job.limit_ends
  local by_node = #nodes > 0
  for _, rule in ipairs(rules_of(self, job).counts) do
    local count = rule.count
    local has = count.has
    count.jobs, count.changes = count.jobs + sign, count.changes + 1
    for i = 1, #names do
      local name = names[i]
      if name ~= "node" or not by_node then has[name] = (has[name] or 0) + sign * amounts[i] end
    end
    if by_node then add_nodes(count, nodes, sign) end
    if self.used[count] then
      local since = math.max(from, count.at)
      for i = 1, #names do add_rate(count, names[i], sign, amounts[i] * factor, ends, since) end
      add_rate(count, "wall", sign, factor, ends, since)
      if count.jobs == 0 then count.rate, count.ends, count.from = {}, {}, {} end -- what rounding has left
      look_at_kept(count)
    end
  end
end

local function settle_all(self, job, now)
  for _, rule in ipairs(rules_of(self, job).counts) do
    if self.used[rule.count] then settle(self, rule.count, now) end
  end
end

--- `nodes`: as view:parts says them; none where it does not matter which these are. `gpu_type`: what it was given; nil
--- where that does not matter.
function Limits:start(job, now, nodes, gpu_type)
  if gpu_type and job.gpu_type == "" then
    tres.give_type(job, gpu_type)
    job.limit_asks = nil
  end
  job.limit_ends, job.limit_from, job.limit_nodes = now + job.limit, now, nodes or {}
  settle_all(self, job, now)
  add(self, job, 1, now)
end

--- What it has run since the last calculation of priorities counts at once.
function Limits:stop(job, now)
  settle_all(self, job, now)
  for _, rule in ipairs(rules_of(self, job).counts) do
    local count = rule.count
    if self.calculated and self.used[count] then
      local ran = now - math.max(job.limit_from, count.at)
      local left, factor = (count.steady and 1 or self.fading) ^ ran, usage_factor(self, job)
      for name, amount in pairs(asks_of(self, job)) do
        count.used[name] = (count.used[name] or 0) + amount * factor * ran * left
      end
      count.used.wall = (count.used.wall or 0) + factor * ran * left
    end
  end
  add(self, job, -1, job.limit_from)
  if job.given_gpu_type then -- where it waits again, it may get another one
    tres.give_type(job, nil)
    job.limit_asks = nil
  end
  self:withdraw(job)
end

return Limits
