---@type coslice.Policy
local policy = require "lomarc"
policy.name = "lomarc_u2"
policy.description = "L-U2 (Sodan & Lan 2005): the partner with the highest U_gain,2, whatever its run time."
policy.params.choice.default = "gain"
return policy
