-- Fewest nodes first (Majumdar, Eager & Bunt 1988).
return {
  api = 1,
  name = "smallest_first",
  version = "1",
  description = "Smallest job first (Majumdar, Eager & Bunt 1988; also SQF): fewest nodes first. Large jobs may starve.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  order = "nodes",
  backfill = function(params) return params.backfill end,
  claims = function(params)
    return { "never-idle", params.backfill == "conservative" and "promises-kept" or "head-never-delayed" }
  end,
}
