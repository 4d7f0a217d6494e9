---@type coslice.Policy
return {
  api = 1,
  name = "smallest_first",
  version = "1",
  description = "Smallest job first (Majumdar, Eager & Bunt 1988; also SQF): fewest nodes first. Large jobs may "
    .. "starve.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  order = "nodes",
}
