-- EASY with shortest-first backfilling: the queue is first come, first served, but among the jobs that could be
-- backfilled the shortest goes first (SJBF; Tsafrir, Etsion & Feitelson 2007 use it in EASY++).
return {
  api = 1,
  name = "easy_sjbf",
  version = "1",
  description = "EASY whose backfilling is shortest job first (SJBF; Tsafrir, Etsion & Feitelson 2007): the first job that "
    .. "waits keeps its reservation, behind it the shortest estimate that fits goes first.",

  schedule = function(view)
    local head = view:start_in_order()
    if not head or view.free == 0 then return end

    local shadow, extra = view:shadow(head)
    local candidates = {}
    for job in view:waiting(head) do
      if job.nodes <= view.free then candidates[#candidates + 1] = job end
    end
    table.sort(candidates, function(a, b)
      if a.estimate ~= b.estimate then return a.estimate < b.estimate end
      if a.submit ~= b.submit then return a.submit < b.submit end
      return a.id < b.id
    end)
    for _, job in ipairs(candidates) do
      if job.nodes <= view.free then
        if view:ends_by(job, shadow) then
          view:start(job)
        elseif job.nodes <= extra then
          view:start(job)
          extra = extra - job.nodes
        end
      end
    end
  end,
  claims = { "never-idle", "head-never-delayed", "no-starvation" },
}
