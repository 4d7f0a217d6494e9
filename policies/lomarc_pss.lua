---@type coslice.Policy
local policy = require "lomarc"
policy.name = "lomarc_pss"
policy.description = "PSS (Sodan & Lan 2005): no sharing: priorities, ageing and EASY backfilling alone."
policy.params.partner.default = "none"
return policy
