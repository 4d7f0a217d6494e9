-- The synthetic programs of the dynamic workloads: "different granularity and communication pattern, chosen randomly"
-- (Frachtenberg et al. 2005, Section 5.1). How they were chosen is not published; this is a guess that spans what the
-- policies tell apart.
local granularities = { 1e-3, 5e-3, 50e-3, 500e-3 }

return {
  api = 1,
  name = "mix",
  params = {
    imbalanced = {
      default = 0.5, min = 0, max = 1,
      doc = "Part of the jobs in which half of the processes compute twice as long.",
    },
    silent = { default = 0.25, min = 0, max = 1, doc = "Part of the jobs that do not communicate." },
    jitter = { default = 0.01, min = 0, max = 0.2, doc = "Standard deviation of computing, relative." },
  },
  program = function(_, params)
    local granularity = granularities[math.random(#granularities)]
    local pattern = math.random() < params.silent and "none" or "ring"
    local imbalanced = math.random() < params.imbalanced
    local loads = { granularity, granularity / 2 }
    -- Jobs 1 and 2 of Table 4: they complement each other.
    if math.random() < 0.5 then loads = { loads[2], loads[1] } end
    return {
      name = ("%s%s, %g ms"):format(imbalanced and "imbalanced " or "", pattern, 1000 * granularity),
      pattern = pattern,
      compute = imbalanced and loads or granularity,
      each = 2,
      jitter = params.jitter,
    }
  end,
}
