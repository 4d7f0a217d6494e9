-- Limits of Slurm's associations and qualities of service: what an association, a user or an account may have at the
-- same time, of jobs and of trackable resources (TRES), what it may have used, and what a single job may ask for. Names
-- are those of sacctmgr; of TRES: cpu, node, mem (MiB, or with K, M, G, T), gres/gpu of whatever type, billing.
--
--   local limits = require("slurm_limits").new(site)
--   local reason = limits:submit(job)   -- nil, or why Slurm would not have taken the job
--   limits:allows(job, now)             -- whether it may start now
--   limits:start(job, now); limits:stop(job, now)
--   limits:withdraw(job)                -- it will not start
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
--- able to end within GrpTRESMins.
---@param site table As for slurm_site.policy.
---@param options? { fading?: number, safe?: boolean, since?: fun(now: number): number }
function Limits.new(site, options)
  options = options or {}
  local self = setmetatable({ accounts = {}, users = {}, qos = by_name(site.qos), partitions = {},
                              counts = {}, rules = {},
                              site = site, fading = options.fading or 1, since = options.since, safe = options.safe,
                              used = {} }, Limits)
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

--- What is counted for one holder of limits: of running jobs, and of what was used up to `at`. `changes` counts starts
--- and ends.
local function new_count()
  return { jobs = 0, submitted = 0, has = {}, ends = {}, used = {}, wall = 0, at = 0, changes = 0 }
end

local function count_of(self, key)
  self.counts[key] = self.counts[key] or new_count()
  return self.counts[key]
end

--- Minutes as resource-seconds.
local function in_seconds(amounts)
  for name, minutes in pairs(amounts) do amounts[name] = minutes * 60 end
  return tres.any(amounts) and amounts or nil
end

local function some(amounts) return tres.any(amounts) and amounts or nil end

--- A rule of what one holder may have at the same time; nothing if nothing is said. `before`: another one whose words
--- count instead of these.
local function add_rule(self, rules, key, what, says, before)
  local function said(name)
    if before and before[name] then return nil end
    return says[name]
  end
  local cap = { jobs = said "jobs", submitted = said "submitted", has = some(tres.amounts(said "has")),
                running_seconds = in_seconds(tres.amounts(said "running_minutes")),
                used_seconds = in_seconds(tres.amounts(said "used_minutes")), wall = said "wall" }
  if not tres.any(cap) then return end
  local rule = { count = count_of(self, key), cap = cap, what = what,
                 timed = cap.running_seconds ~= nil or cap.used_seconds ~= nil or cap.wall ~= nil }
  if cap.used_seconds or cap.wall then self.used[rule.count] = true end
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
  return { jobs = qos.MaxJobsPerUser, submitted = qos.MaxSubmitJobsPerUser, has = qos.MaxTRESPerUser }
end

local function account_limits(qos)
  return { jobs = qos.MaxJobsPerAccount, submitted = qos.MaxSubmitJobsPerAccount, has = qos.MaxTRESPerAccount }
end

--- `before`: the quality of service whose limits come first, of the partition as a rule.
local function qos_rules(self, rules, qos, before, user, account)
  if not qos then return end
  local first = before or {}
  add_rule(self, rules, "qos " .. qos.name, "of quality of service " .. qos.name, group_limits(qos),
    group_limits(first))
  add_rule(self, rules, ("qos %s user %d"):format(qos.name, user), "of a user in " .. qos.name, user_limits(qos),
    user_limits(first))
  add_rule(self, rules, ("qos %s account %d"):format(qos.name, account), "of an account in " .. qos.name,
           account_limits(qos), account_limits(first))
end

local function has_flag(qos, flag)
  return qos ~= nil and string.find("," .. string.lower(qos.Flags or "") .. ",", "," .. flag .. ",", 1, true) ~= nil
end

--- The job's qualities of service, the one whose limits come first in front.
local function qos_of(self, job)
  local own, partition = self.qos[job.qos], self.partitions[job.partition]
  local of_partition = partition and self.qos[partition.QOS or ""]
  if of_partition == own then of_partition = nil end
  if of_partition and not has_flag(own, "overpartqos") then return of_partition, own end
  return own, of_partition
end

--- The counts that the job's user, account, quality of service and partition are held to.
local function find_rules(self, job)
  local rules, association = {}, association_of(self, job.user, job.group)
  if association then
    add_rule(self, rules, "user " .. job.user .. " " .. job.group, "of its association",
             { jobs = inherited(association, "MaxJobs"), submitted = inherited(association, "MaxSubmitJobs") })
  end
  local above = association
  while above do
    add_rule(self, rules, "association " .. (above.account or "") .. "/" .. above.name, "of " .. above.name,
      group_limits(above))
    above = above.above
  end
  local first, second = qos_of(self, job)
  qos_rules(self, rules, first, nil, job.user, job.group)
  qos_rules(self, rules, second, first, job.user, job.group)
  local alone = {}
  for _, holder in ipairs { association or {}, first or {}, second or {} } do
    table.insert(alone, {
      most = tres.amounts(inherited(holder, "MaxTRESPerJob")), least = tres.amounts(holder.MinTRESPerJob),
      on_node = tres.amounts(inherited(holder, "MaxTRESPerNode")), wall = inherited(holder, "MaxWallDurationPerJob"),
      seconds = in_seconds(tres.amounts(inherited(holder, "MaxTRESMinsPerJob"))) or {} })
  end
  return { counts = rules, alone = alone }
end

local function rules_of(self, job)
  local rules = job.limit_rules
  if rules then return rules end
  local key = ("%d %d %s %d"):format(job.user, job.group, job.qos, job.partition)
  rules = self.rules[key] or find_rules(self, job)
  self.rules[key], job.limit_rules = rules, rules
  return rules
end

--- What of the amounts is above the limit, by name; nil: nothing.
local function above(amounts, limit, factor)
  for name, most in pairs(limit) do
    if (amounts[name] or 0) * (factor or 1) > most then return name end
  end
end

local function too_large(job, asks, rules)
  local on_node = tres.on_node(job)
  for _, one in ipairs(rules.alone) do
    local name = above(asks, one.most)
    if name then return "it asks for more of " .. name .. " than a job may have" end
    name = above(on_node, one.on_node)
    if name then return "it asks for more of " .. name .. " on a node than a job may have" end
    name = above(asks, one.seconds, job.limit)
    if name then return "its time limit times its " .. name .. " is more than a job may have" end
    for least, amount in pairs(one.least) do
      if (asks[least] or 0) < amount then return "it asks for less of " .. least .. " than a job must" end
    end
    if job.limit > (one.wall or math.huge) then
      return "its time limit is above that of its association or quality of service"
    end
  end
  for _, rule in ipairs(rules.counts) do
    if rule.cap.has and above(asks, rule.cap.has) then return "it alone is above the limit " .. rule.what end
  end
end

--- Counts the job as submitted; or says why it can never start, or would not have been taken.
function Limits:submit(job)
  local rules = rules_of(self, job)
  local reason = too_large(job, tres.of(job), rules)
  if reason then return reason end
  for _, rule in ipairs(rules.counts) do
    if rule.cap.submitted and rule.count.submitted >= rule.cap.submitted then
      return "more jobs are submitted than the limit " .. rule.what .. " allows"
    end
  end
  self:accept(job)
end

--- Counts the job as submitted, whatever the limits say: on record Slurm has taken it.
function Limits:accept(job)
  for _, rule in ipairs(rules_of(self, job).counts) do rule.count.submitted = rule.count.submitted + 1 end
end

--- The job was cancelled while it waited.
function Limits:withdraw(job)
  for _, rule in ipairs(rules_of(self, job).counts) do rule.count.submitted = rule.count.submitted - 1 end
end

--- Whether any limit can keep a job waiting: others only keep jobs from being submitted.
function Limits:hold_jobs()
  local names = { "GrpJobs", "GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "GrpWall", "MaxJobs", "MaxJobsPerUser",
                  "MaxJobsPerAccount", "MaxTRESPerUser", "MaxTRESPerAccount" }
  for _, holders in ipairs { self.site.accounts or {}, self.site.users or {}, self.site.qos or {} } do
    for _, holder in ipairs(holders) do
      for _, name in ipairs(names) do
        if holder[name] then return true end
      end
    end
  end
  return false
end

--- Whether a limit may let a job start only because time has passed: one of what jobs may still run, or have used.
function Limits:change_with_time()
  for _, holders in ipairs { self.site.accounts or {}, self.site.users or {}, self.site.qos or {} } do
    for _, holder in ipairs(holders) do
      if holder.GrpTRESMins or holder.GrpTRESRunMins or holder.GrpWall then return true end
    end
  end
  return false
end

--- Brings what was used up to `now`: what has run since then counts, and what was used before fades.
local function settle(self, count, now)
  local since = self.since and self.since(now) or count.at
  if since > count.at then count.used, count.wall, count.at = {}, 0, since end
  local passed = now - count.at
  if passed <= 0 then return end
  local left = self.fading ^ passed
  for name, has in pairs(count.has) do count.used[name] = ((count.used[name] or 0) + has * passed) * left end
  count.wall = (count.wall + count.jobs * passed) * left
  count.at = now
end

--- Resource-seconds that the jobs may still run, by their limits, if this one is added.
local function to_run(count, name, now, asks, limit)
  return (count.ends[name] or 0) - now * (count.has[name] or 0) + (asks[name] or 0) * limit
end

local function within(self, rule, job, asks, now)
  local count, cap = rule.count, rule.cap
  if cap.jobs and count.jobs + 1 > cap.jobs then return false end
  for name, most in pairs(cap.has or {}) do
    if (count.has[name] or 0) + (asks[name] or 0) > most then return false end
  end
  for name, most in pairs(cap.running_seconds or {}) do
    if to_run(count, name, now, asks, job.limit) > most then return false end
  end
  if not self.used[count] then return true end
  settle(self, count, now)
  for name, most in pairs(cap.used_seconds or {}) do
    local used = count.used[name] or 0
    if used >= most or (self.safe and used + to_run(count, name, now, asks, job.limit) > most) then return false end
  end
  return not cap.wall or count.wall < cap.wall
end

--- Whether all limits leave room for the job. One that is kept by what jobs have is asked about again when one of these
--- has started or ended.
function Limits:allows(job, now)
  local kept_by = job.kept_by
  if kept_by and kept_by.changes == job.kept_at then return false end
  local asks = tres.of(job)
  for _, rule in ipairs(rules_of(self, job).counts) do
    if not within(self, rule, job, asks, now) then
      if not rule.timed then job.kept_by, job.kept_at = rule.count, rule.count.changes end
      return false
    end
  end
  return true
end

--- `ends`: when the job's limit is up.
local function add(self, job, sign, ends, now)
  local asks = tres.of(job)
  for _, rule in ipairs(rules_of(self, job).counts) do
    local count = rule.count
    if self.used[count] then settle(self, count, now) end
    count.jobs, count.changes = count.jobs + sign, count.changes + 1
    for name, amount in pairs(asks) do
      count.has[name] = (count.has[name] or 0) + sign * amount
      count.ends[name] = (count.ends[name] or 0) + sign * amount * ends
    end
  end
end

function Limits:start(job, now)
  job.limit_ends = now + job.limit
  add(self, job, 1, job.limit_ends, now)
end

function Limits:stop(job, now)
  add(self, job, -1, job.limit_ends, now)
  self:withdraw(job)
end

return Limits
