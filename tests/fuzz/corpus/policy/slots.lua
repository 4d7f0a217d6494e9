return { api = 1, name = "s", version = "1", schedule = function(view)
  for job in view:waiting() do
    local slot = view:earlier(job) or view:reservation(job) or view:earliest(job)
    if not view:reservation(job) then view:reserve(job, slot) end
    if view.ended then view:unreserve(job) view:reserve(job, view:earliest(job)) end
  end
  view:start_due()
end }
