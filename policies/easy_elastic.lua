local elastic = require("elastic")

--- Lets running jobs give up nodes so that the first waiting one can start, first those that have most beyond their
--- least; none where all of them together have too few. Returns whether what is free is for it from now on.
local function make_room(view, crew, head)
  local need = head.nodes - view.free - crew.promised
  if need <= 0 then return true end
  if crew.spare < need then return false end
  local givers = table.move(crew.members, 1, #crew.members, 1, {})
  table.sort(givers, function(a, b) return a.ordered - a.least > b.ordered - b.least end)
  for _, giver in ipairs(givers) do
    if need <= 0 then break end
    local nodes = view:size(giver.job, giver.ordered - need) or giver.ordered
    need = need - (giver.ordered - nodes)
    crew:resize(view, giver, nodes)
  end
  return true
end

--- Gives what is free to running jobs, the oldest first, where that delays no reservation.
local function grow(view, crew)
  for _, member in ipairs(crew.members) do
    if view.free == 0 or crew.room == 0 then return end
    if member.ordered < member.most then
      local nodes = view:size(member.job, member.ordered + view.free) or 0
      if nodes > member.ordered then crew:resize(view, member, nodes) end
    end
  end
end

---@type coslice.Policy
return elastic.policy {
  api = 1,
  name = "easy_elastic",
  version = "1",
  description = "EASY backfilling in which running elastic jobs give up nodes when the first waiting job can start "
    .. "with them, and have those that are left over.",
  params = {
    shrink = { default = true, doc = "Running jobs give up nodes for the first that waits." },
    grow = { default = true, doc = "Running jobs have nodes that no other job can use." },
  },

  schedule = function(view, params, crew)
    view:easy()
    local head, room = view:head(), false
    while head and params.shrink do
      room = make_room(view, crew, head)
      if not room or not view:fits(head) then break end
      view:easy()
      head = view:head()
    end
    -- Of free nodes with which no job could grow nothing comes until something ends or changes.
    if view.ended then crew.idle = nil end
    if not params.grow or room or view.free == 0 or crew.room == 0 or view.free == crew.idle then return end
    if head then view:reserve(head, view:earliest(head)) end
    grow(view, crew)
    if head then view:unreserve(head) end
    crew.idle = view.free
  end,
}
