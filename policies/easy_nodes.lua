local instant = require "instant_words"
local named = require "named_nodes"

--- When a job that waits can have enough nodes, and which: the lowest numbers of those that are free by then, and open
--- to it for as long as it may run. Where these are too few, as a node may come back later: the next ones. Of a job of
--- several components, all that could serve it.
local function reserve(view, job, at)
  local count, length = named.size(view, job)
  if job.component_count > 1 then count = view.capacity end
  local taken, kept, left = view:taken(), {}, {}
  for _, n in ipairs((named.open(view, job, at, length))) do
    if count > 0 and named.free_from(taken[n], at) then kept[n], count = true, count - 1
    else left[#left + 1] = n end
  end
  table.sort(left, function(a, b) return (taken[a] or view.now) < (taken[b] or view.now) end)
  for i = 1, math.min(count, #left) do kept[left[i]] = true end
  return kept
end

-- Why a job waits that there seems to be room for.
local function reason(view, job)
  local head, idle, count = view:head(), #named.idle(view), named.size(view, job)
  if idle < count then
    return nil, ("it takes %d nodes without other jobs, and there were %d"):format(count, idle)
  end
  local shadow = view:earliest(head).time
  local free = #named.idle(view, reserve(view, head, shadow))
  return nil, ("%d of the %d free nodes were kept for job %d, due to start at %s, and it may run for longer"):format(
    idle - free, idle, head.id, instant(view, shadow))
end

---@type coslice.Policy
return {
  api = 1,
  name = "easy_nodes",
  version = "2",
  description = "EASY backfilling as the scheduler batsched does it: the first job that waits holds particular nodes, "
    .. "the lowest numbers of those that will be free, and a job that passes it ends before or runs on others. Where "
    .. "nodes are counted (`easy`), it may run on any as long as enough are left. Each job has its nodes for itself.",
  placement = function() return 0 end, -- so that nodes can be named

  reason = reason,

  schedule = function(view)
    local head = view:head()
    while head and named.start(view, head, named.idle(view)) do head = view:head() end
    if not head then return end
    local idle = named.idle(view)
    if #idle == 0 then return end
    local shadow = named.earliest(view, head)
    local kept = reserve(view, head, shadow.time)
    local beside = named.idle(view, kept)
    for job in view:waiting(head) do
      if named.start(view, job, view:ends_by(job, shadow) and idle or beside) then
        idle, beside = named.idle(view), named.idle(view, kept)
        if #idle == 0 then return end
      end
    end
  end,
}
