-- What a partition says about its jobs on single nodes: how many CPUs of a node they may have (MaxCPUsPerNode), and
-- whether only one user's jobs are on a node where one of its jobs is (ExclusiveUser).
--
--   local rules = require("slurm_node_rules").new(site)   -- nil: no partition says any of that
--   rules:allows(job, node)        -- whether the job may be on it
--   rules:never(job)               -- why it may be on none, whatever runs there
--   rules:reason(job, view)        -- why it may not be on nodes now, where it does not fit for that; nil: it may
--   rules:start(job, nodes); rules:stop(job)
local Partitions = require "slurm_partitions"

local NodeRules = {}
NodeRules.__index = NodeRules

local function is_yes(text) return string.lower(tostring(text or "")) == "yes" end

---@param site table As for slurm_site.policy: `partitions` with `MaxCPUsPerNode` and `ExclusiveUser`.
function NodeRules.new(site)
  local self = setmetatable({ most = {}, names = {}, exclusive = {}, on = {} }, NodeRules)
  for _, partition in ipairs(site.partitions or {}) do
    if partition.number then
      self.most[partition.number] = tonumber(partition.MaxCPUsPerNode)
      self.names[partition.number] = partition.name
      self.exclusive[partition.number] = is_yes(partition.ExclusiveUser) or nil
    end
  end
  return not (table.is_empty(self.most) and table.is_empty(self.exclusive)) and self or nil
end

--- The CPUs that a job has on each of its nodes, rounded up.
local function cpus_of(job) return math.ceil(job.processes / job.nodes) end

--- Whether jobs of two users may be on a node together.
local function may_meet(self, job, other)
  return job.user == other.user or not (self.exclusive[Partitions.of(job)] or self.exclusive[other.partition])
end

--- Whether the job may be on the node beside the jobs that are there.
---@param node coslice.Node
function NodeRules:allows(job, node)
  local partition = Partitions.of(job)
  local most = self.most[partition]
  local has = most and cpus_of(job) or 0
  for _, other in pairs(self.on[node.number] or {}) do
    if not may_meet(self, job, other) then return false end
    if most and other.partition == partition then has = has + other.cpus end
  end
  return not most or has <= most
end

--- Why no node will ever do for the job; nil: some may.
function NodeRules:never(job)
  local most = self.most[job.partition]
  if not most or cpus_of(job) <= most then return nil end
  return string.format("MaxCPUsPerNode=%d of partition %s, and it has %d on a node", most,
                       self.names[job.partition] or tostring(job.partition), cpus_of(job))
end

--- How many CPUs jobs of the partition have on a node.
local function has_on(self, node, partition)
  local has = 0
  for _, other in pairs(self.on[node]) do
    if other.partition == partition then has = has + other.cpus end
  end
  return has
end

--- The partition whose ExclusiveUser keeps the job off a node; nil: none does.
local function keeping_user(self, node, job)
  for _, other in pairs(self.on[node]) do
    if not may_meet(self, job, other) then
      return self.exclusive[Partitions.of(job)] and Partitions.of(job) or other.partition
    end
  end
end

--- How many of these nodes are in the job's partition, and could serve it. `name` of that, of a job of several.
local function serving(view, job, nodes, name)
  local _, able = view:eligible(job, { nodes = nodes, partition = name })
  return able
end

local function counted(nodes) return nodes == 1 and "1 node" or nodes .. " nodes" end

--- Why CPUs of its partition's jobs keep it off some nodes; nil: they do not.
local function reason_of_cpus(self, job, view, name)
  local partition = Partitions.of(job)
  local most, nodes, least, largest = self.most[partition], 0, math.huge, 0
  if not most then return nil end
  for node in pairs(self.on) do
    local has = has_on(self, node, partition)
    if has + cpus_of(job) > most and serving(view, job, { node }, name) > 0 then
      nodes, least, largest = nodes + 1, math.min(least, has), math.max(largest, has)
    end
  end
  if nodes == 0 then return nil end
  return string.format("MaxCPUsPerNode=%d of partition %s: its jobs have %s on %s, and it would have %d more on one",
                       most, self.names[partition] or tostring(partition),
                       least == largest and tostring(largest) or ("%d to %d"):format(least, largest),
                       counted(nodes), cpus_of(job))
end

--- Why jobs of other users keep it off some nodes; nil: they do not.
local function reason_of_users(self, job, view, name)
  local nodes, by = 0, nil
  for node in pairs(self.on) do
    local partition = keeping_user(self, node, job)
    if partition and serving(view, job, { node }, name) > 0 then
      nodes, by = nodes + 1, math.min(by or partition, partition)
    end
  end
  if nodes == 0 then return nil end
  return string.format("ExclusiveUser of partition %s: jobs of other users are on %s", self.names[by] or tostring(by),
                       counted(nodes))
end

--- Which of the rules keep the job off nodes that could serve it, in words; nil: none does. Asked where nodes have
--- enough for it, and it does not fit. Changes nothing.
---@param name? string Of the partition in which it is looked at, of a job of several.
function NodeRules:reason(job, view, name)
  local cpus, users = reason_of_cpus(self, job, view, name), reason_of_users(self, job, view, name)
  return cpus and users and cpus .. "; " .. users or cpus or users
end

--- `nodes`: as view:parts says them.
function NodeRules:start(job, nodes)
  local entry = { user = job.user, partition = Partitions.of(job), cpus = cpus_of(job) }
  job.node_rules = {}
  for _, part in ipairs(nodes) do
    self.on[part.node] = self.on[part.node] or {}
    self.on[part.node][job.id] = entry
    table.insert(job.node_rules, part.node)
  end
end

function NodeRules:stop(job)
  for _, node in ipairs(job.node_rules or {}) do
    self.on[node][job.id] = nil
    if table.is_empty(self.on[node]) then self.on[node] = nil end
  end
  job.node_rules = nil
end

return NodeRules
