---@type coslice.Policy
local policy = require "glomarc_ts"
policy.name = "glomarc_ssp"
policy.description = "SSP (Zeng 2009): space sharing only, each job on as many cores of its nodes as it tolerates, in "
  .. "the time slices of Scojo-PECT."
policy.params.form.default = "none"
return policy
