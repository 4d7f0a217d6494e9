---@type coslice.Policy
local policy = require "glomarc_ts"
policy.name = "glomarc_exhaustive"
policy.description = "G-LOMARC-TS with the best of all sets of the first candidates: for few candidates, and as a "
  .. "yardstick for the heuristics."
policy.params.form.default = "exhaustive"
return policy
