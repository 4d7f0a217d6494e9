-- Most nodes first (Li & Cheng 1991): what first-fit-decreasing is to bin packing.
return {
  api = 1,
  name = "largest_first",
  version = "1",
  description = "Largest job first (Li & Cheng 1991; also LQF): most nodes first, so that small jobs fill what is left.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  order = "nodes",
  descending = true,
  backfill = function(params) return params.backfill end,
  claims = function(params)
    return { "never-idle", params.backfill == "conservative" and "promises-kept" or "head-never-delayed" }
  end,
}
