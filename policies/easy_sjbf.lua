---@type coslice.Policy
return {
  api = 1,
  name = "easy_sjbf",
  version = "1",
  description = "EASY whose backfilling is shortest job first (SJBF; Tsafrir, Etsion & Feitelson 2007 use it in "
    .. "EASY++): the first job that "
    .. "waits keeps its reservation, behind it the shortest estimate that fits goes first.",

  passes = "room",
  schedule = function(view)
    local head = view:start_in_order()
    if not head then return end
    for job in view:passing(head, "shortest") do view:start(job) end
  end,
  claims = { "never-idle", "head-never-delayed", "no-starvation" },
}
