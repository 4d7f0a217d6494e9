---@type coslice.Policy
return {
  api = 1,
  name = "relaxed",
  version = "1",
  description = "Relaxed backfilling (Ward, Mahood & West 2002): EASY in which jobs may delay the first one that "
    .. "waits, up to a limit: a part of the wait that it expected when it became the first. Slack 0 and exact "
    .. "estimates make it EASY.",
  params = {
    slack = { default = 0.5, min = 0, max = 100, doc = "By how much of its expected wait a job may be delayed." },
  },

  schedule = function(view, params)
    local head = view:start_in_order()
    if not head or view.free == 0 then return end

    -- The latest start of this job, decided once: later delays must not add up.
    if not head.latest then
      local expected = view:shadow(head)
      head.latest = view:later(expected, params.slack * (expected.time - head.submit))
    end
    if not view.room then return end
    -- A job that fits beside it there may start now. The reservation stands only during the pass: the job itself starts
    -- when it can.
    view:reserve(head, view:earliest(head, head.latest))
    for job in view:fitting(head) do view:start(job) end
    view:unreserve(head)
  end,
  claims = { "never-idle" },
}
