return { api = 1, name = "p", version = "1", schedule = function(view)
  local head = view:start_in_order()
  if not head then return end
  local shadow, extra = view:shadow(head)
  for job in view:waiting(head) do
    if view:fits(job) and view:ends_by(job, shadow) then view:start(job) end
  end
  for job in view:running() do view:wake(view.now + job.start + 1) end
end }
