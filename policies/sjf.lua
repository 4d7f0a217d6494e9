---@type coslice.Policy
return {
  api = 1,
  name = "sjf",
  version = "1",
  description = "Shortest job first (SPT, shortest processing time): lowest estimate first. Good for mean slowdown; "
    .. "long jobs may starve.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  order = "duration",
}
