-- Scojo-PECT with intervals of an hour, beside slices_30.lua.
local policy = require("scojo_pect")
policy.name = "slices_60"
policy.params.interval.default = 3600
return policy
