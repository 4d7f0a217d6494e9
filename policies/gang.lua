---@type coslice.Policy
return {
  api = 1,
  name = "gang",
  version = "1",
  description = "Gang scheduling (Ousterhout 1982; Feitelson & Rudolph 1990): "
    .. "the rows of a matrix of jobs take turns, each for a time slice, all "
    .. "processes of a job together; EASY backfilling into the matrix.",
  params = {
    multiprogramming = {
      default = 6, min = 1, max = 64, integer = true,
      doc = "Jobs that share a processor at most: the rows of the matrix.",
    },
    slice = { default = 0.1, min = 1e-3, doc = "Length of a time slice, s." },
    switch = {
      default = 2.2e-3, min = 0,
      doc = "Lost on each processor when another job's slot begins: the switch, skew, cold caches, s.",
    },
    packing = { default = "lowest", choices = { "lowest", "buddy" }, doc = "Which free columns of a row a job gets." },
  },
  backfill = "easy",
  coscheduling = function(params)
    return {
      multiprogramming = params.multiprogramming,
      slice = params.slice,
      packing = params.packing,
      modes = { gang = { run = "own", switch = params.switch } },
    }
  end,
}
