---@type coslice.Policy
return {
  api = 1,
  name = "easy_composed",
  version = "1",
  description = "EASY backfilling written out in primitives, as a starting point for variants: the same "
    .. "schedule as the ready-made `easy`.",
  passes = "room",  -- where no job fits, none can start

  schedule = function(view)
    local head = view:start_in_order()
    if not head or not view.room then return end

    -- When the head can start, and how many nodes it leaves over then.
    local shadow, extra = view:shadow(head)
    for job in view:fitting(head) do
      if view:ends_by(job, shadow) then
        view:start(job)
      elseif job.nodes <= extra then
        view:start(job)
        extra = extra - job.nodes
      end
    end
  end,
}
