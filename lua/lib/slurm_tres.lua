-- Trackable resources of Slurm (TRES): what jobs ask for, and lists of amounts or weights as slurm.conf and sacctmgr
-- have them.
local tres = {}

local units = { k = 1 / 1024, m = 1, g = 1024, t = 1024 * 1024 }

--- "cpu=100,mem=2G,gres/gpu=4" as numbers by name; memory in MiB.
---@param list string|number|nil
---@return table<string, number>
function tres.amounts(list)
  local found = {}
  for name, amount, unit in string.gmatch(tostring(list or ""), "([%w/:._%-]+)=(%d+%.?%d*)(%a?)") do
    local key = string.lower(name)
    local scale = key == "mem" and units[string.lower(unit)] or 1
    local value = tonumber(amount) * scale
    found[key] = math.tointeger(value) or value
  end
  return found
end

--- "CPU=1,Mem=0.25G,GRES/gpu=2" as weights by name: of memory for each MiB, so that 0.25G is a quarter for each GiB.
---@param list string?
---@return table<string, number>
function tres.weights(list)
  local found = {}
  for name, weight, unit in string.gmatch(tostring(list or ""), "([%w/:._%-]+)=(%d*%.?%d*)(%a?)") do
    local key = string.lower(name)
    local scale = key == "mem" and units[string.lower(unit)] or 1
    found[key] = (tonumber(weight) or 0) / scale
  end
  return found
end

--- Whether there is anything in the table.
function tres.any(amounts) return not table.is_empty(amounts) end

--- What the job asks for in all: its GPUs, and those of the type that it names. A running one has what it was given.
function tres.of(job)
  local known = job.tres
  if not known or known.node ~= job.nodes then -- one of a range of nodes may have another number of them now
    known = { cpu = job.processes, node = job.nodes, mem = job.total_memory, ["gres/gpu"] = job.gpus }
    local type = job.given_gpu_type or job.gpu_type
    if type ~= "" then known["gres/gpu:" .. string.lower(type)] = job.gpus end
    job.tres = known
  end
  return known
end

--- From its start on a job that names no type of GPU counts for the limits of the one that it has; with nil, no longer.
---@param type string?
function tres.give_type(job, type) job.given_gpu_type, job.tres = type, nil end

--- What it asks for on each of its nodes.
function tres.on_node(job)
  local each = {}
  for name, amount in pairs(tres.of(job)) do each[name] = amount / job.nodes end
  each.node = nil
  return each
end

--- What the job is billed for a second: its CPUs, or by the weights of its partition their sum. With `most`, the
--- largest of what is on its nodes instead of the sum (MAX_TRES).
---@param weights table<string, number>? As weights() gives them.
function tres.billing(job, weights, most)
  if not weights or not tres.any(weights) then return job.processes end
  local sum, largest = 0, 0
  for name, amount in pairs(tres.of(job)) do
    local counts = amount * (weights[name] or 0)
    sum = sum + counts
    largest = math.max(largest, counts)
  end
  return most and largest or sum
end

return tres
