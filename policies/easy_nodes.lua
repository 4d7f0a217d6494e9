local instant = require "instant_words"

-- The nodes of the machine that no job has, from the lowest number on; of `kept` none.
local function idle_nodes(view, kept)
  local taken = {}
  for job in view:running() do
    for _, n in ipairs(job.on) do taken[n] = true end
  end
  local idle = {}
  for n = 0, view.capacity - 1 do
    if not taken[n] and not (kept and kept[n]) then idle[#idle + 1] = n end
  end
  return idle
end

local function start(view, job, idle, over)
  job.on, job.over = table.move(idle, 1, job.nodes, 1, {}), over
  view:start(job, { nodes = job.on })
end

--- When a job that waits can have enough nodes, and which: the lowest numbers of those that are free by then.
local function reserve(view, job)
  local free_from, times = {}, {}
  for n = 0, view.capacity - 1 do free_from[n] = view.now end
  for other in view:running() do
    for _, n in ipairs(other.on) do free_from[n] = math.max(other.over, view.now) end
  end
  for n = 0, view.capacity - 1 do times[n + 1] = free_from[n] end
  table.sort(times)
  local shadow, kept, count = times[job.nodes], {}, 0
  for n = 0, view.capacity - 1 do
    if free_from[n] <= shadow and count < job.nodes then
      kept[n], count = true, count + 1
    end
  end
  return shadow, kept
end

-- Why a job waits that there seems to be room for.
local function reason(view, job)
  local head, idle = view:head(), #idle_nodes(view)
  if idle < job.nodes then
    return nil, ("it takes %d nodes without other jobs, and there were %d"):format(job.nodes, idle)
  end
  local shadow, kept = reserve(view, head)
  return nil, ("%d of the %d free nodes were kept for job %d, due to start at %s, and it may run for longer"):format(
    idle - #idle_nodes(view, kept), idle, head.id, instant(view, shadow))
end

---@type coslice.Policy
return {
  api = 1,
  name = "easy_nodes",
  version = "1",
  description = "EASY backfilling as the scheduler batsched does it: the first job that waits holds particular nodes, "
    .. "the lowest numbers of those that will be free, and a job that passes it ends before or runs on others. Where "
    .. "nodes are counted (`easy`), it may run on any as long as enough are left. Not for machines whose nodes fail.",
  placement = function() return 0 end, -- so that nodes can be named

  reason = reason,

  schedule = function(view)
    local function ends(job) return view.now + job.estimate end
    local head, idle = view:head(), nil
    while head do
      idle = idle_nodes(view)
      if #idle < head.nodes then break end
      start(view, head, idle, ends(head))
      head = view:head()
    end
    if not head or #idle == 0 then return end
    local shadow, kept = reserve(view, head)
    local beside = idle_nodes(view, kept)
    for job in view:waiting(head) do
      local over = ends(job)
      local nodes = over <= shadow and idle or beside
      if job.nodes <= #nodes then
        start(view, job, nodes, over)
        idle, beside = idle_nodes(view), idle_nodes(view, kept)
        if #idle == 0 then return end
      end
    end
  end,
}
