---@type coslice.Policy
return {
  api = 1,
  name = "largest_first",
  version = "1",
  description = "Largest job first (Li & Cheng 1991; also LQF): most nodes first, so that small jobs fill what is "
    .. "left, as first-fit-decreasing does in bin packing.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  order = "nodes",
  descending = true,
}
