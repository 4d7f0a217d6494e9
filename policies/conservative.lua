---@type coslice.Policy
return {
  api = 1,
  name = "conservative",
  version = "1",
  description = "Conservative backfilling (Mu'alem & Feitelson 2001): each job gets a reservation when it is "
    .. "submitted, and moves up when nodes become free early. No reservation ever moves later.",
  params = {
    compress = {
      default = "queue",
      choices = { "queue", "start" },
      doc = "Which job moves up first: the first of the queue, or the one with the earliest reservation.",
    },
  },
  backfill = "conservative",
}
