-- Scojo-PECT with intervals of half an hour: jobs wait less long for their slice, and more is lost between slices.
local policy = require("scojo_pect")
policy.name = "slices_30"
policy.params.interval.default = 1800
return policy
