-- OAR's server in whole seconds, without its delays, to be used like oar_server (docs/oar.md, section 6): a round takes
-- place at each submission; a second after it, from where on the job takes part; and two seconds after each end, from
-- where on its nodes are free.
local Seconds = {}
Seconds.__index = Seconds

local after_submission, after_end = 1, 2 -- s

function Seconds.new() return setmetatable({ due = {}, waiting = {}, current = {} }, Seconds) end

local function take(list, job)
  for i, other in ipairs(list) do
    if other == job then return table.remove(list, i) end
  end
end

--- Notes a job down whose submission (true) or end becomes known at that time.
local function note(self, at, job, came)
  local due, i = self.due, #self.due
  while i > 0 and due[i].at > at do i = i - 1 end
  table.insert(due, i + 1, { at = at, job = job, came = came })
end

function Seconds:submit(job, at)
  note(self, math.floor(at) + after_submission, job, true)
  self.called = true
end

--- Whether a round has planned the job, which waits.
function Seconds:has_seen(job)
  for _, waiting in ipairs(self.waiting) do
    if waiting == job then return true end
  end
  return false
end

function Seconds:withdraw(job)
  if take(self.waiting, job) then return end
  for i, entry in ipairs(self.due) do
    if entry.job == job then return table.remove(self.due, i) end
  end
end

--- Other nodes are there than before.
function Seconds:look_anew() self.called = true end

function Seconds:finish(job, _, at) note(self, math.floor(at) + after_end, job, false) end

function Seconds:run(now, starts, launch)
  local round = self.called or self.again ~= nil -- this pass may be for what could not be launched
  self.called = false
  while self.due[1] and self.due[1].at <= now do
    local entry = table.remove(self.due, 1)
    if entry.came then table.insert(self.waiting, entry.job)
    else take(self.current, entry.job) end
    round = true
  end
  self.again = nil
  if round and self.waiting[1] then
    local found, first_planned = starts(now, self.current, self.waiting)
    if first_planned and first_planned < math.huge then self.again = first_planned end -- time alone opens nodes
    for _, start in ipairs(found) do
      local launched, earliest = launch(start.job, start.nodes)
      if not launched then
        -- When it could be, if nothing happens before; not known where only the planned nodes are down.
        self.again = math.min(self.again or math.huge, earliest > now and earliest or math.huge)
      else
        start.job.start, start.job.nodes = now, start.nodes
        take(self.waiting, start.job)
        table.insert(self.current, start.job)
      end
    end
  end
  local next_pass = math.min(self.due[1] and self.due[1].at or math.huge, self.again or math.huge)
  return next_pass < math.huge and next_pass or nil
end

return Seconds
