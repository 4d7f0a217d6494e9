-- Limits of Slurm's associations and qualities of service: how many jobs, CPUs and nodes an association, a user or an account
-- may have at the same time, and what a single job may ask for. Names are those of sacctmgr; of TRES, cpu and node count.
--
--   local limits = require("slurm_limits").new(site)
--   local reason = limits:submit(job)   -- nil, or why Slurm would not have taken the job
--   limits:allows(job)                  -- whether it may start now
--   limits:start(job); limits:stop(job)
local Limits = {}
Limits.__index = Limits

--- "cpu=100,node=4" as numbers by name; what else it names is left out.
local function tres(text)
  local found = {}
  for name, amount in string.gmatch(tostring(text or ""), "([%w/:]+)=(%d+)") do found[name] = tonumber(amount) end
  return { cpu = found.cpu, node = found.node }
end

local function capped(jobs, amounts, submitted)
  amounts = tres(amounts)
  local cap = { jobs = jobs, submitted = submitted, cpu = amounts.cpu, node = amounts.node }
  return (cap.jobs or cap.submitted or cap.cpu or cap.node) and cap or nil
end

local function by_name(list)
  local found = {}
  for _, entry in ipairs(list or {}) do found[entry.name] = entry end
  return found
end

local function new_count() return { jobs = 0, submitted = 0, cpu = 0, node = 0 } end

--- Reads the site's limits: an association's own, those of the accounts above it, and of qualities of service.
---@param site table As for slurm_site.policy.
function Limits.new(site)
  local self = setmetatable({ accounts = {}, users = {}, qos = by_name(site.qos), partitions = {}, counts = {},
                              rules = {}, site = site }, Limits)
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

local function count_of(self, key)
  self.counts[key] = self.counts[key] or new_count()
  return self.counts[key]
end

local function add_rule(self, rules, key, cap, what)
  if cap then table.insert(rules, { count = count_of(self, key), cap = cap, what = what }) end
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

local function qos_rules(self, rules, qos, user, account)
  if not qos then return end
  add_rule(self, rules, "qos " .. qos.name, capped(qos.GrpJobs, qos.GrpTRES, qos.GrpSubmitJobs), "of quality of service " .. qos.name)
  add_rule(self, rules, ("qos %s user %d"):format(qos.name, user),
    capped(qos.MaxJobsPerUser, qos.MaxTRESPerUser, qos.MaxSubmitJobsPerUser), "of a user in " .. qos.name)
  add_rule(self, rules, ("qos %s account %d"):format(qos.name, account),
    capped(qos.MaxJobsPerAccount, qos.MaxTRESPerAccount, qos.MaxSubmitJobsPerAccount), "of an account in " .. qos.name)
end

--- The counts that the job's user, account, quality of service and partition are held to.
local function find_rules(self, job)
  local rules, association = {}, association_of(self, job.user, job.group)
  if association then
    add_rule(self, rules, "user " .. job.user .. " " .. job.group,
      capped(inherited(association, "MaxJobs"), nil, inherited(association, "MaxSubmitJobs")), "of its association")
  end
  local above = association
  while above do
    add_rule(self, rules, "association " .. (above.account or "") .. "/" .. above.name,
      capped(above.GrpJobs, above.GrpTRES, above.GrpSubmitJobs), "of " .. above.name)
    above = above.above
  end
  qos_rules(self, rules, self.qos[job.qos], job.user, job.group)
  local partition = self.partitions[job.partition]
  if partition and partition.QOS ~= job.qos then qos_rules(self, rules, self.qos[partition.QOS or ""], job.user, job.group) end
  local most = {}
  for _, holder in ipairs { association or {}, self.qos[job.qos] or {}, partition and self.qos[partition.QOS or ""] or {} } do
    table.insert(most, { tres = tres(inherited(holder, "MaxTRESPerJob")), wall = inherited(holder, "MaxWallDurationPerJob") })
  end
  return { counts = rules, alone = most }
end

local function rules_of(self, job)
  local key = ("%d %d %s %d"):format(job.user, job.group, job.qos, job.partition)
  self.rules[key] = self.rules[key] or find_rules(self, job)
  return self.rules[key]
end

local function too_large(job, rules)
  for _, most in ipairs(rules.alone) do
    if job.processes > (most.tres.cpu or math.huge) then return "it asks for more CPUs than a job may have" end
    if job.nodes > (most.tres.node or math.huge) then return "it asks for more nodes than a job may have" end
    if job.limit > (most.wall or math.huge) then return "its time limit is above that of its association or quality of service" end
  end
  for _, rule in ipairs(rules.counts) do
    if job.processes > (rule.cap.cpu or math.huge) or job.nodes > (rule.cap.node or math.huge) then
      return "it alone is above the limit " .. rule.what
    end
  end
end

--- Counts the job as submitted; or says why it can never start, or would not have been taken.
function Limits:submit(job)
  local rules = rules_of(self, job)
  local reason = too_large(job, rules)
  if reason then return reason end
  for _, rule in ipairs(rules.counts) do
    if rule.cap.submitted and rule.count.submitted >= rule.cap.submitted then
      return "more jobs are submitted than the limit " .. rule.what .. " allows"
    end
  end
  for _, rule in ipairs(rules.counts) do rule.count.submitted = rule.count.submitted + 1 end
end

--- Whether any limit can keep a job waiting: others only keep jobs from being submitted.
function Limits:hold_jobs()
  local names = { "GrpJobs", "GrpTRES", "MaxJobs", "MaxJobsPerUser", "MaxJobsPerAccount", "MaxTRESPerUser", "MaxTRESPerAccount" }
  for _, holders in ipairs { self.site.accounts or {}, self.site.users or {}, self.site.qos or {} } do
    for _, holder in ipairs(holders) do
      for _, name in ipairs(names) do
        if holder[name] then return true end
      end
    end
  end
  return false
end

--- Whether all limits leave room for the job.
function Limits:allows(job)
  for _, rule in ipairs(rules_of(self, job).counts) do
    local count, cap = rule.count, rule.cap
    if count.jobs + 1 > (cap.jobs or math.huge) or count.cpu + job.processes > (cap.cpu or math.huge)
      or count.node + job.nodes > (cap.node or math.huge) then
      return false
    end
  end
  return true
end

local function add(self, job, sign)
  for _, rule in ipairs(rules_of(self, job).counts) do
    local count = rule.count
    count.jobs, count.cpu, count.node = count.jobs + sign, count.cpu + sign * job.processes, count.node + sign * job.nodes
  end
end

function Limits:start(job) add(self, job, 1) end

function Limits:stop(job)
  add(self, job, -1)
  for _, rule in ipairs(rules_of(self, job).counts) do rule.count.submitted = rule.count.submitted - 1 end
end

return Limits
