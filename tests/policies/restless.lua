-- Not a suite: a policy that suspends jobs and lets them go on, lends their nodes, gives reservations back and changes
-- its mind, at random. `coslice check tests/policies/restless.lua` looks for machines and jobs that this ends badly on.
local left -- changes of mind; then all go on, and the queue is served

---@type coslice.Policy
return {
  api = 1,
  name = "restless",
  version = "1",
  description = "Suspends and resumes jobs at random, under EASY or conservative backfilling: for checks.",
  params = {
    base = { default = "easy", choices = { "easy", "conservative", "both" }, doc = "How jobs start otherwise." },
    acts = { default = "any", choices = { "any", "turns", "loans" }, doc = "What is done to running jobs." },
    changes = { default = 40, min = 0, integer = true, doc = "So many passes change something." },
  },

  begin = function(_, params) left = params.changes end,

  schedule = function(view, params)
    local function now_and_then() return math.random(3) == 1 end
    local turns, loans = params.acts ~= "loans", params.acts ~= "turns"
    if left > 0 then
      left = left - 1
      if loans then
        for job in view:waiting() do
          if now_and_then() then view:preempt(job, { how = "suspend" }) end
        end
      end
      for job in view:running() do
        -- With the order submissions-first a job has no nodes before the end of the instant in which it starts.
        if turns and now_and_then() then
          pcall(view.suspend, view, job)
        elseif turns and now_and_then() then
          view:resume(job)
        end
      end
      for job in view:waiting() do
        if view:reservation(job) and math.random(9) == 1 then view:unreserve(job) end
      end
      view:wake(view.now + math.random(20))
    else
      for job in view:running() do view:resume(job) end
    end
    if params.base == "conservative" or params.base == "both" and left % 2 == 1 then view:conservative()
    else
      if view.due then view:start_due() end
      view:easy()
    end
  end,
}
