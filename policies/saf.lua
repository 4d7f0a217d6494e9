---@type coslice.Policy
return {
  api = 1,
  name = "saf",
  version = "1",
  description = "Smallest estimated area first: lowest nodes x estimate first. Short and small jobs gain; of the "
    .. "simple orders one of the best for mean slowdown (Legrand, Trystram & Zrigui 2019).",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  order = "area",
}
