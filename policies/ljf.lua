---@type coslice.Policy
return {
  api = 1,
  name = "ljf",
  version = "1",
  description = "Longest job first (LPT, longest processing time): highest estimate first. Packs well, slows short "
    .. "jobs.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  order = "duration",
  descending = true,
}
