-- LOMARC's pairs (Sodan & Lan 2005) and the groups of G-LOMARC-TS (Zeng 2009), on machines with kinds of nodes: waiting
-- jobs share nodes with another one, waiting or running, if together they use them better than alone, all tolerate it,
-- and no job that came earlier ends later than it may.
local matchmaking = require "matchmaking"

---@type coslice.Policy
return matchmaking.policy({
  api = 1,
  name = "node_gain",
  version = "2",
  description = "Groups of jobs on nodes of several kinds by utilization gain, as far as that is fair (after LOMARC, "
    .. "Sodan & Lan 2005, and G-LOMARC-TS, Zeng 2009); other jobs alone on their nodes, with EASY backfilling; also in "
    .. "time slices.",
  params = matchmaking.with_params {
    min_gain = { default = 0.45, doc = "MIN_UTILGAIN: a group must gain more: the speeds of all over those alone, less "
      .. "1." },
    max_slowdown = { default = 1.25, min = 1, doc = "MAX_SL: slowdown by the partner that a job tolerates." },
  },
}, "nodes")
