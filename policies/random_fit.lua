---@type coslice.Policy
return {
  api = 1,
  name = "random_fit",
  version = "1",
  description = "Random placement: a job gets any node and any GPU on which it fits, each equally likely: "
    .. "what other placements are compared with.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  placement = { ties = "random", gpus = "random" },
}
