---@type coslice.Policy
local policy = require "lomarc"
policy.name = "lomarc_ac"
policy.description = "AC (Sodan & Lan 2005): always the next job in the queue, whatever it is, or a running one."
policy.params.partner.default = "any"
policy.params.choice.default = "first"
return policy
