local elastic = require("elastic")

--- Lets running jobs give up nodes so that the first waiting one can start, first those that have most beyond their
--- least; none where all of them together have too few. Returns whether what is free is for it from now on.
local function make_room(view, head, jobs)
  local need, spare = head.nodes - view.free, 0
  for _, job in ipairs(jobs) do
    need = need - math.max(job.has - job.ordered, 0) -- it gives them up already
    job.gives = math.max(math.min(job.has, job.ordered) - job.sizes[1].nodes, 0)
    spare = spare + job.gives
  end
  if need <= 0 or spare < need then return need <= 0 end
  table.sort(jobs, function(a, b) return a.gives > b.gives end)
  local now = true
  for _, job in ipairs(jobs) do
    if need <= 0 then break end
    local size = elastic.at_most(job.sizes, math.max(job.ordered - need, job.sizes[1].nodes))
    need = need - (job.ordered - size.nodes)
    now = view:resize(job.job, size.nodes) and now
  end
  return true
end

--- Gives what is free to running jobs, those with the fewest nodes beyond their least first, where that delays no
--- reservation.
local function grow(view, jobs)
  table.sort(jobs, function(a, b) return a.ordered - a.sizes[1].nodes < b.ordered - b.sizes[1].nodes end)
  for _, job in ipairs(jobs) do
    if view.free == 0 then return end
    local size = elastic.at_most(job.sizes, job.ordered + view.free)
    if size.nodes > job.ordered and view:can_resize(job.job, size.nodes) then view:resize(job.job, size.nodes) end
  end
end

---@type coslice.Policy
return {
  api = 1,
  name = "easy_elastic",
  version = "1",
  description = "EASY backfilling in which running elastic jobs give up nodes when the first waiting job can start "
    .. "with them, and have those that are left over.",
  params = {
    shrink = { default = true, doc = "Running jobs give up nodes for the first that waits." },
    grow = { default = true, doc = "Running jobs have nodes that nobody else can use." },
  },

  schedule = function(view, params)
    view:easy()
    local head = view:head()
    local room = false
    while head and params.shrink do
      room = make_room(view, head, elastic.running(view))
      if not view:fits(head) then break end
      view:easy()
      head = view:head()
    end
    if not params.grow or room then return end -- what is free is for the first that waits
    if head then view:reserve(head, view:earliest(head)) end
    grow(view, elastic.running(view))
    if head then view:unreserve(head) end
  end,
}
