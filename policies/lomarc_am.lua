---@type coslice.Policy
local policy = require "lomarc"
policy.name = "lomarc_am"
policy.description = "AM (Sodan & Lan 2005): only the next job in the queue may become the partner."
policy.params.partner.default = "next"
policy.params.choice.default = "first"
return policy
