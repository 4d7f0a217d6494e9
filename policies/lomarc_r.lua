---@type coslice.Policy
local policy = require "lomarc"
policy.name = "lomarc_r"
policy.description = "L-R (Sodan & Lan 2005): the partner with the best impact on all jobs' response times."
policy.params.choice.default = "response"
return policy
