-- LOMARC's pairs (Sodan & Lan 2005) and the groups of G-LOMARC-TS (Zeng 2009), on GPUs: of all groups in which waiting
-- jobs share GPUs with another one, waiting or running, that which gains most, as long as all tolerate it and no job
-- that came earlier ends later than it may.
local matchmaking = require "matchmaking"

---@type coslice.Policy
return matchmaking.policy({
  api = 1,
  name = "gpu_gain",
  version = "3",
  description = "Groups of jobs on GPUs by utilization gain, as far as that is fair (after LOMARC, Sodan & Lan 2005, "
    .. "and G-LOMARC-TS, Zeng 2009); other jobs in order, each alone on the fastest GPUs that are free; also in time "
    .. "slices.",
  params = matchmaking.with_params {
    min_gain = { default = 0.45, doc = "MIN_UTILGAIN: a group must gain more: the speeds of all over those alone, less "
      .. "1." },
    max_slowdown = { default = 1.6, min = 1, doc = "MAX_SL: slowdown by the partner that a job tolerates." },
  },
}, "gpus")
