-- Any number of jobs on a node and on each of its GPUs, as far as its cores, memory and GPUs go and no job there is
-- slowed down too much: the matchmaking of G-LOMARC-TS (Zeng 2009) node by node and GPU by GPU instead of in groups of
-- a primary job and others. A job goes where it adds most to what the nodes do.
local memory_models = require "memory_models"
local three_classes = require "three_classes"

-- What a job adds to the work of a node on those GPUs; nothing where sharing costs too much. Others that do not slow it
-- down, and that it does not slow down, are no reason to wait. A slow node is no cost of sharing.
local function gain_on(node, job, gpus, params)
  local speed, gain, slowdown = math.min(node.speed, 1), node:gain(job, gpus), node:slowdown(job, gpus)
  local slows = node:slows(job, gpus)
  if slows * node.speed <= 1 and slowdown <= node:alone(job) then return gain end
  if math.max(slowdown, slows) * speed > params.max_slowdown then return nil end
  return gain >= params.min_gain * job.request.cores * speed and gain
end

-- GPUs of the node that no job has, and those that the job may share with others.
local function gpus_of(node, job, most)
  local idle, shared = {}, {}
  for g, left in ipairs(node.gpu_free) do
    if left == 1 then
      idle[#idle + 1] = g
    elseif left >= job.request.gpu_share and (most == 0 or math.max(1, node:jobs_on(g)) < most) then
      shared[#shared + 1] = g
    end
  end
  return idle, shared
end

-- The GPU on which the job adds most; of equal ones the first.
local function best_of(node, job, idle, shared, params)
  local best, most
  for _, g in ipairs(idle[1] and table.move(shared, 1, #shared, 2, { idle[1] }) or shared) do
    local gain = gain_on(node, job, g, params)
    if gain and (not most or gain > most or gain == most and g < best) then best, most = g, gain end
  end
  return most, best
end

---@type coslice.Policy
return {
  api = 1,
  name = "colocate",
  version = "2",
  description = "Co-location by utilization gain (after Zeng 2009): any number of jobs on a node or a GPU, as long as "
    .. "none is slowed down by more than a bound; for machines with kinds of nodes, alone or in time slices.",

  params = three_classes.with_params {
    scheduler = { default = "easy", choices = { "easy", "conservative" }, doc = "How jobs may pass others." },
    max_slowdown = { default = 1.25, min = 1, doc = "MAX_SL: slowdown that a job tolerates, in all." },
    min_gain = {
      default = 0.5,
      min = 0,
      max = 1,
      doc = "What a job must add to the work of a node that it shares with others which it slows down or that slow it "
        .. "down, as a part of what it adds to one that is not in use.",
    },
    max_jobs = {
      default = 0,
      min = 0,
      integer = true,
      doc = "Jobs at most that share a GPU, or, of those without GPUs, a node; 0: as many as fit, 1: none shares "
        .. "anything.",
    },
    sliced = { default = false, doc = "In the time slices of Scojo-PECT; else all jobs in one queue." },
    memory = {
      default = "none",
      choices = { "none", "MM1", "MM2", "MM3", "MM4", "MM5" },
      doc = "sliced: memory that jobs load and that is swapped out, drawn by class (Esbaugh 2010, Table 3).",
    },
    foreign = {
      default = "none",
      choices = { "none", "safe" },
      doc = "Whether jobs of other classes may use what a slice leaves.",
    },
  },

  reason = function()
    return nil, "where it would fit, jobs would be slowed down too much by one another, or it would add too little "
      .. "(max_slowdown, min_gain, max_jobs)"
  end,

  backfill = function(params) return params.scheduler end,

  slices = function(params)
    if not params.sliced then return nil end
    local slices = three_classes.slices(params)
    if params.memory ~= "none" then
      slices.overhead = 0
      slices.memory = { capacity = memory_models.capacity, rate = memory_models.rate, of = memory_models.of }
    end
    return slices
  end,

  placement = function(node, job, _, params)
    if node.jobs == 0 then return node:gain(job) end
    local asked, most = job.request.gpus, params.max_jobs
    if asked == 0 then
      return (most == 0 or node.jobs - node.gpu_jobs < most) and gain_on(node, job, nil, params)
    end
    local idle, shared = gpus_of(node, job, most)
    if asked > 1 then
      table.move(shared, 1, asked - #idle, #idle + 1, idle)
      local gpus = #idle >= asked and table.move(idle, 1, asked, 1, {})
      local gain = gpus and gain_on(node, job, gpus, params)
      return gain, gain and gpus or nil
    end
    return best_of(node, job, idle, shared, params)
  end,
}
