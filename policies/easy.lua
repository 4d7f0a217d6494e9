---@type coslice.Policy
return {
  api = 1,
  name = "easy",
  version = "1",
  description = "EASY backfilling (Lifka 1995): a job may pass others if it does not delay the first one that waits.",
  params = {
    reservations = { default = 1, min = 0, integer = true, doc = "How many waiting jobs hold a reservation." },
    depth = { default = 0, min = 0, integer = true,
      doc = "How many jobs behind them are looked at in a pass; 0: all." },
    queues = {
      default = "one",
      choices = { "one", "partition" },
      doc = "One queue, or one for each partition of the machine.",
    },
  },
  backfill = "easy",
}
