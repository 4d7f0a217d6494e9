-- Any number of jobs on a node, as far as its cores and memory go and no job there is slowed down too much: the
-- matchmaking of G-LOMARC-TS (Zeng 2009) node by node instead of in groups of a primary job and others. A job goes where
-- it adds most to what the nodes do.
local memory_models = require "memory_models"
local three_classes = require "three_classes"

---@type coslice.Policy
return {
  api = 1,
  name = "colocate",
  version = "1",
  description = "Co-location by utilization gain (after Zeng 2009): any number of jobs on a node, as long as none is slowed "
    .. "down by more than a bound; for machines with kinds of nodes, alone or in time slices.",

  params = three_classes.with_params {
    scheduler = { default = "easy", choices = { "easy", "conservative" }, doc = "How jobs may pass others." },
    max_slowdown = { default = 1.25, min = 1, doc = "MAX_SL: slowdown that a job tolerates, in all." },
    min_gain = {
      default = 0.5,
      min = 0,
      max = 1,
      doc = "What a job must add to the work of a node that is in use, as a part of what it adds to one that is not.",
    },
    max_jobs = { default = 0, min = 0, integer = true, doc = "Jobs on a node at most; 0: as many as fit." },
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
    local gain = node:gain(job)
    if node.jobs == 0 then return gain end
    if params.max_jobs > 0 and node.jobs >= params.max_jobs then return nil end
    if math.max(node:slowdown(job), node:slows(job)) > params.max_slowdown then return nil end
    return gain >= params.min_gain * job.request.cores and gain
  end,
}
