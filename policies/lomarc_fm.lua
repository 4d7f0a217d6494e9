---@type coslice.Policy
local policy = require "lomarc"
policy.name = "lomarc_fm"
policy.description = "L-FM (Sodan & Lan 2005): the first partner that will do."
policy.params.choice.default = "first"
return policy
