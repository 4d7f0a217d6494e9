---@type coslice.Policy
local policy = require "glomarc_ts"
policy.name = "glomarc_ns"
policy.description = "NS (Zeng 2009): G-LOMARC-TS without the longest jobs first in a block."
policy.params.sort.default = false
return policy
