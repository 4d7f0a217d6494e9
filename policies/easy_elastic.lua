local in_vain = {} -- by view: for which job nodes were given up that others share, and how many more there were

--- Lets running jobs give up nodes so that the first waiting one can start, first those that have most beyond their
--- least; none where all of them together have too few. Returns whether what is free is for it from now on.
local function make_room(view, head)
  local spare, _, leaving = view:elastic_room()
  local need = head.nodes - view.free - leaving
  if need <= 0 then return true end
  local beyond, before = spare - need, in_vain[view]
  if beyond < 0 or (before and before.head == head and beyond <= before.beyond) then return false end
  local givers = {}
  for job, nodes, least in view:elastic() do
    givers[#givers + 1] = { job = job, nodes = nodes, spare = nodes - least }
  end
  table.sort(givers, function(a, b) return a.spare > b.spare end)
  for _, giver in ipairs(givers) do
    if need <= 0 then break end
    local nodes = view:size(giver.job, giver.nodes - need)
    need = need - (giver.nodes - nodes)
    view:resize(giver.job, nodes)
  end
  local _, _, left = view:elastic_room()
  if view.free + left >= head.nodes then return true end
  in_vain[view] = { head = head, beyond = beyond } -- or jobs would shrink and grow for ever
  return false
end

--- Gives what is free to running jobs, the oldest first, where that delays no reservation.
local function grow(view)
  for job, nodes, _, most in view:elastic() do
    if view.free == 0 then return end
    local more = nodes < most and view:size(job, math.min(nodes + view.free, most)) or nodes
    if more > nodes and view:can_resize(job, more) then view:resize(job, more) end
  end
end

local idle = {} -- by view: free nodes with which no job could grow, so that nothing comes of them until something ends

---@type coslice.Policy
return {
  api = 1,
  name = "easy_elastic",
  version = "1",
  description = "EASY backfilling in which running elastic jobs give up nodes when the first waiting job can start "
    .. "with them, and have those that are left over.",
  params = {
    shrink = { default = true, doc = "Running jobs give up nodes for the first that waits." },
    grow = { default = true, doc = "Running jobs have nodes that no other job can use." },
  },

  schedule = function(view, params)
    view:easy()
    local head, room = view:head(), false
    while head and params.shrink do
      room = make_room(view, head)
      if not room or not view:fits(head) then break end
      view:easy()
      head = view:head()
    end
    if view.ended then idle[view] = nil end
    if not params.grow or room or view.free == 0 or view.free == idle[view] then return end
    local _, more = view:elastic_room()
    if more == 0 then return end
    if head then view:reserve(head, view:earliest(head)) end
    grow(view)
    if head then view:unreserve(head) end
    idle[view] = view.free
  end,
}
