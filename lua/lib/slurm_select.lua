-- Which of the nodes on which a job fits it gets: those of the lowest Weight; of equal ones, as Slurm's select plugin
-- has it, the least loaded ones (CR_LLN, or LLN of the job's partition: by the part of their CPUs that is free), the
-- last ones for serial jobs (pack_serial_at_end), else those of the switch with the fewest that are enough, or without
-- switches those of the tightest run of nodes.
local Partitions = require "slurm_partitions"
local preemption = require "slurm_preemption"

local select_nodes = {}

local function is_yes(text) return string.lower(tostring(text or "")) == "yes" end

--- Numbers of the partitions whose jobs go to the least loaded nodes; true: all.
local function least_loaded(site)
  if site.CR_LLN then return true end
  local found, any = {}, false
  for _, partition in ipairs(site.partitions or {}) do
    if partition.number and is_yes(partition.LLN) then found[partition.number], any = true, true end
  end
  return any and found or nil
end

--- A preference within a weight, of less than 1, as a function of a node and a job; nil: none has one. Of equally
--- loaded nodes the first ones come first, whatever switches and runs they belong to.
local function preference(site)
  local spread, serial = least_loaded(site), site.pack_serial_at_end
  if not spread and not serial then return nil end
  return function(node, job)
    if spread == true or spread and spread[Partitions.of(job)] then
      return node.cores_free / node.cores / 2 - node.number / 1099511627776
    end
    -- 131072 is more than a machine has nodes.
    if serial and job.processes == 1 and job.nodes == 1 then return node.number / 131072 end
    return 0
  end
end

--- With select/linear Slurm asks for the nodes of one line of slurm.conf (Weight being equal) after the other, until
--- they are enough; but for all of them where a job shares nodes, or jobs may be preempted.
local function line_preference(site)
  local lines = {}
  for _, nodes in ipairs(site.nodes or {}) do lines[nodes.kind] = nodes.line end
  return function(node, job, params)
    local together = job.request.shares or preemption.enabled(params)
    return together and 0 or -(lines[node.kind] or 0) / 1048576
  end
end

--- The placement of a site's jobs. Least loaded are nodes with the most CPUs that no job has. Both come before
--- switches: the nodes of equal preference are those of few switches.
--- With `block_sizes`, switches are blocks: a job has nodes of one of them, or of so many beside one another.
--- Switches are the machine's; a site's own list counts where the machine has none.
---@param site table As for slurm_site.policy: `nodes`, `switches`, `partitions` with `LLN`, `CR_LLN`,
---  `pack_serial_at_end`.
---@param in_group? fun(job: coslice.PlacedJob, node: coslice.Node): boolean Whether a limit of nodes lets the job be
---  there before others; these are as if their Weight was higher by 1.
---@param may_be_on? fun(job: coslice.PlacedJob, node: coslice.Node): boolean Whether the job may be on the node, by
---  rules that are not the machine's.
---@return coslice.Placement
function select_nodes.placement(site, in_group, may_be_on)
  local weights, groups = {}, {}
  for _, nodes in ipairs(site.nodes or {}) do weights[nodes.kind] = nodes.Weight or 1 end
  for _, switch in ipairs(site.switches or {}) do
    if switch.nodes then table.insert(groups, switch.nodes) end
  end
  local prefers, by_line = preference(site), line_preference(site)
  local rank = function(node) return -(weights[node.kind] or 1) end
  if site.select_linear then
    rank = function(node, job, _, params) return by_line(node, job, params) - (weights[node.kind] or 1) end
  end
  if prefers then rank = function(node, job) return prefers(node, job) - (weights[node.kind] or 1) end end
  if in_group then
    local by_weight = rank
    rank = function(node, job, view, params)
      return by_weight(node, job, view, params) - (in_group(job, node) and 0 or 1)
    end
  end
  if may_be_on then
    local by_rank = rank
    rank = function(node, job, view, params) return may_be_on(job, node) and by_rank(node, job, view, params) end
  end
  -- Without switches Slurm looks for the tightest run of nodes, but for the least loaded ones by themselves.
  local near = #groups > 0 and groups or not site.CR_LLN and "runs" or nil
  return { rank = rank, groups = near, switches = true, blocks = site.block_sizes,
           cached = not in_group and not may_be_on }
end

return select_nodes
