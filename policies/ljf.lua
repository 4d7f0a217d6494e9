-- Longest job first: the opposite of sjf, for comparison.
return {
  api = 1,
  name = "ljf",
  version = "1",
  description = "Longest job first (LPT, longest processing time): highest estimate first. Packs well, slows short jobs.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  order = "duration",
  descending = true,
  backfill = function(params) return params.backfill end,
  claims = function(params)
    return { "never-idle", params.backfill == "conservative" and "promises-kept" or "head-never-delayed" }
  end,
}
