-- What a partition says about its jobs on single nodes: how many CPUs of a node they may have (MaxCPUsPerNode), and
-- whether only one user's jobs are on a node where one of its jobs is (ExclusiveUser).
--
--   local rules = require("slurm_node_rules").new(site)   -- nil: no partition says any of that
--   rules:allows(job, node)        -- whether the job may be on it
--   rules:never(job)               -- why it may be on none, whatever runs there
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
  for _, node in ipairs(job.node_rules or {}) do self.on[node][job.id] = nil end
  job.node_rules = nil
end

return NodeRules
