-- Names are those of the paper.

-- Algorithm 1: the slot of process `next` begins on a processor (nil: there is none).
local function context_switch(next)
  if not next then return "shared" end
  if next.class == "CS" then return "coscheduled" end -- suspend whatever is running; run next for its entire slot
  if next.class == "F" then return "frustrated" end   -- resume DC and F processes; prioritize next over all others
  return "shared"                                     -- resume DC and F processes; let the local scheduler decide
end

-- Algorithm 2: a process has just finished running in its assigned slot. A second value of true resets what was
-- measured. The reset to CS comes first, so that it finds all processes of a job in the same slot.
local function reclassify(process, p)
  if process.tslots % p.tslots_max == 0 then return "CS", true end
  if process.cslots < p.cslots_min then return process.class end -- not running long enough in current class
  if process.c_comm == 0 then return "DC" end
  local t_cpu = process.t_cpu / process.c_comm
  local t_comm = process.t_comm / process.c_comm
  local g = t_cpu + t_comm
  if g < p.cs_thresh then return "CS" end
  if g < p.dc_thresh and t_cpu < p.f_thresh * p.cs_thresh then return "F" end -- communication too slow
  return "DC"                                                                 -- coarse granularity
end

---@type coslice.Policy
return {
  api = 1,
  name = "fcs",
  version = "1",
  description = "Flexible coscheduling (Frachtenberg, Feitelson, Petrini & Fernandez 2005): it measures how "
    .. "each process communicates. Those that communicate often and in balance are "
    .. "gang scheduled, those that are frustrated by imbalance or do not care share the other slots.",
  params = {
    multiprogramming = {
      default = 6, min = 1, max = 64, integer = true,
      doc = "Jobs that share a processor at most: the rows of the matrix.",
    },
    slice = { default = 0.1, min = 1e-3, doc = "T_slice, s." },
    spin = { default = 120e-6, min = 0, doc = "T_spin: how long a process polls before it yields, s." },
    cslots_min = { default = 20, min = 1, integer = true,
      doc = "Slots in a class before a process is classified again." },
    dc_thresh = { default = 1, min = 0, doc = "Granularity from which a process is DC, s." },
    cs_thresh = { default = 2e-3, min = 0, doc = "Granularity below which a process is CS, s." },
    f_thresh = {
      default = 0.85, min = 0,
      doc = "Computing per communication below which a process can be F, as a part of cs_thresh.",
    },
    tslots_max = { default = 32768, min = 1, integer = true,
      doc = "Slots after which a process is CS again, whatever it was." },
    switch = {
      default = 3.5e-3, min = 0,
      doc = "Lost when a coscheduled slot begins: the switch, skew, cold caches, classification, s.",
    },
    dispatch = { default = 70e-6, min = 0, doc = "Lost when the local scheduler dispatches another process, s." },
    quantum = { default = 3e-3, min = 1e-5, doc = "Of the local scheduler, s." },
    gaps = {
      default = true,
      doc = "Whether CS processes may run in shared slots where no other process is ready; the paper's text says no, "
        .. "its Table 6 needs it.",
    },
    gaps_yield = {
      default = false,
      doc = "Whether a process that fills a gap loses the processor as soon as an F or DC process is ready, or at the "
        .. "end of its quantum: how far F processes are prioritized over all others is not said.",
    },
    own_preempts = {
      default = false,
      doc = "Whether an F process takes the processor at once in its own slot, or when the quantum of the process "
        .. "there is over: Algorithm 1 only says that it is prioritized.",
    },
    packing = { default = "lowest", choices = { "lowest", "buddy" }, doc = "Which free columns of a row a job gets." },
  },
  backfill = "easy",
  coscheduling = function(params)
    local function shared(own_first)
      return {
        run = "all",
        spin = params.spin,
        quantum = params.quantum,
        dispatch = params.dispatch,
        priority = { "F", "DC" },
        gaps = params.gaps and { "CS" } or nil,
        gaps_yield = params.gaps and params.gaps_yield or nil,
        own_first = own_first,
        own_preempts = own_first and params.own_preempts or nil,
      }
    end
    return {
      multiprogramming = params.multiprogramming,
      slice = params.slice,
      packing = params.packing,
      classes = { "CS", "F", "DC" },
      modes = {
        coscheduled = { run = "own", switch = params.switch },
        frustrated = shared(true),
        shared = shared(false),
      },
      slot = context_switch,
      classify = reclassify,
    }
  end,
}
