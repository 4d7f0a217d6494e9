---@type coslice.Policy
local policy = require "lomarc"
policy.name = "lomarc_n"
policy.description = "L-N (Sodan & Lan 2005): on standard CPUs: CPU-bound with disk-bound jobs only."
policy.params.cpu.default = "standard"
return policy
