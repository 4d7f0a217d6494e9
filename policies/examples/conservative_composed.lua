---@type coslice.Policy
return {
  api = 1,
  name = "conservative_composed",
  version = "1",
  description = "Conservative backfilling written out in primitives, as a starting point for variants: the same "
    .. "schedule as the ready-made `conservative`.",

  schedule = function(view)
    -- Nodes became free: each waiting job in turn moves up if it can.
    if view.ended then
      for job, slot in view:moving_up() do view:reserve(job, slot) end
    end
    -- New jobs get the first hole that is left.
    for job in view:unreserved() do view:reserve(job, view:earliest(job)) end
    view:start_due()
  end,
}
