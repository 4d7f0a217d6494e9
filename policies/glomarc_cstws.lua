---@type coslice.Policy
local policy = require "glomarc_ts"
policy.name = "glomarc_cstws"
policy.description = "CSTWS (Zeng 2009): groups of two jobs only, the first pair that gains enough."
policy.params.form.default = "first-pair"
return policy
