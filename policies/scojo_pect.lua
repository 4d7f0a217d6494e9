-- Each interval is divided into one slice per class of jobs: a short one on demand, then medium and long ones. In a
-- slice the jobs of its class run under conservative (or EASY) backfilling; jobs of other classes may use what is left,
-- preempted ones first, where they delay no other. A preempted job resumes on its own nodes: nothing migrates.

local memory_models = require "memory_models"
local three_classes = require "three_classes"

---@type coslice.Policy
return {
  api = 1,
  name = "scojo_pect",
  version = "1",
  description = "Scojo-PECT (Esbaugh & Sodan 2007; Esbaugh 2010): coarse-grain time slices for short, medium and long "
    .. "jobs, with safe backfilling of jobs of other classes and, if wanted, memory and swapping.",

  params = three_classes.with_params {
    scheduler = { default = "conservative", choices = { "conservative", "easy" }, doc = "Backfilling inside a slice." },
    nodes = {
      default = "fewest-foreign",
      choices = { "first-free", "fewest-foreign", "memory-fit" },
      doc = "Which nodes a job gets.",
    },
    fit_enough = {
      default = "best",
      choices = { "best", "worst", "first" },
      doc = "memory-fit: among nodes that hold all jobs.",
    },
    fit_rest = {
      default = "worst",
      choices = { "best", "worst", "first" },
      doc = "memory-fit: for what is missing after the nodes that do not.",
    },
    memory = {
      default = "none",
      choices = { "none", "MM1", "MM2", "MM3", "MM4", "MM5", "trace" },
      doc = "Memory of jobs: not modelled, drawn by class, or from the trace (drawn very low where it says nothing).",
    },
    swapping = {
      default = "parts",
      choices = { "parts", "whole-jobs" },
      doc = "Jobs lose what others need (Section 5.3), or whole jobs leave as in the program of Appendix A.",
    },
    swap_charge = {
      default = "longest",
      choices = { "longest", "each-load" },
      doc = "A displaced job is charged for the most that any node writes out while it is displaced, or for each job "
        .. "that displaces it (Fig. 16; with whole-jobs, the program as it is printed).",
    },
    node_memory = { default = 32768, min = 1, doc = "memory = trace: what a node has, KB." },
  },

  backfill = function(params) return params.scheduler end,

  slices = function(params)
    local modelled = params.memory ~= "none"
    local fit = params.nodes == "memory-fit"
      and { enough = params.fit_enough, rest = params.fit_rest } or nil
    local slices = three_classes.slices(params)
    if modelled then slices.overhead = 0 end
    slices.nodes = params.nodes
    slices.fit = fit
    slices.memory = modelled and {
      capacity = memory_models.capacity,
      rate = memory_models.rate,
      swapping = params.swapping,
      swap_charge = params.swap_charge,
      of = memory_models.of,
    } or nil
    return slices
  end,
}
