---@type coslice.Policy
return {
  api = 1,
  name = "batch",
  version = "1",
  description = "Batch scheduling of processes: a job has its processors for itself until it ends, and a "
    .. "process that waits for a message polls; EASY backfilling.",
  backfill = "easy",
  params = {
    packing = { default = "lowest", choices = { "lowest", "buddy" }, doc = "Which free processors a job gets." },
  },
  coscheduling = function(params)
    return { packing = params.packing, modes = { alone = { run = "own" } } }
  end,
}
