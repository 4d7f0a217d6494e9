---@type coslice.Policy
local policy = require "glomarc_ts"
policy.name = "glomarc_fbo"
policy.description = "FBO (Zeng 2009): G-LOMARC-TS with candidates of the first block only."
policy.params.other_blocks.default = false
return policy
