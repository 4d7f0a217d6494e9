---@type coslice.Policy
local policy = require "glomarc_ts"
policy.name = "glomarc_nh"
policy.description = "NH (Zeng 2009): G-LOMARC-TS without heuristics: candidates as they come, the first group that "
  .. "gains enough."
policy.params.form.default = "walk"
return policy
