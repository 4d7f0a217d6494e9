---@type coslice.Policy
return {
  api = 1,
  name = "spin_block",
  version = "1",
  description = "Spin-block, implicit coscheduling (Arpaci-Dusseau 2001): "
    .. "each processor schedules its processes by itself; one that waits "
    .. "polls for a while, then yields. EASY backfilling into the matrix.",
  params = {
    multiprogramming = { default = 6, min = 1, max = 64, integer = true, doc = "Jobs that share a processor at most." },
    spin = { default = 120e-6, min = 0, doc = "T_spin: how long a process polls before it yields, s." },
    quantum = { default = 3e-3, min = 1e-5, doc = "Of the local scheduler, s." },
    dispatch = { default = 70e-6, min = 0, doc = "Lost when the local scheduler dispatches another process, s." },
    packing = { default = "lowest", choices = { "lowest", "buddy" }, doc = "Which free columns of a row a job gets." },
  },
  backfill = "easy",
  coscheduling = function(params)
    return {
      multiprogramming = params.multiprogramming,
      packing = params.packing,
      modes = {
        shared = { run = "all", spin = params.spin, quantum = params.quantum, dispatch = params.dispatch },
      },
    }
  end,
}
