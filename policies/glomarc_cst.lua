---@type coslice.Policy
local policy = require "glomarc_ts"
policy.name = "glomarc_cst"
policy.description = "CST (Zeng 2009): G-LOMARC-TS with groups of two jobs only, the pair that gains most."
policy.params.form.default = "pairs"
return policy
