-- When a strategy for elastic jobs decides, and what it has been told of by then: once for all that has happened at
-- an instant; or once for each event, as in a simulator of events. These are the timer, jobs that come, and ends of
-- the steps of running jobs, of which the last one is the end of the job. Between two steps the job's order comes
-- into force after the decision, which does not see yet what is given up.
--
-- A decision that does nothing would do nothing again before something has happened: then none is made.
local events = {}

--- Decides, and hands it on.
local function ask(book, decide, view, now)
  book.moved, book.refused = false, false
  decide(book)
  book:settle(view, now)
end

--- Adds those of the running jobs that are between two steps now.
local function add_steps(steps, running, view, now)
  for i = 1, #running do
    local entry = running[i]
    if not entry.over then -- else it is among them
      if entry.point < now then entry.point = view:next_point(entry.job) or math.huge end
      if entry.point == now and entry.begun ~= now then steps[#steps + 1] = entry end
    end
  end
end

local function by_number(a, b) return a.number < b.number end

--- Running jobs of which a step ends now: those that are given, which have ended, and those that go on.
local function steps_now(book, steps, view, now)
  if book.moved or #steps > 0 or book.due == now or book.silent > 0 then
    add_steps(steps, book.steady, view, now)
    add_steps(steps, book.changing, view, now)
    if #steps > 1 then table.sort(steps, by_number) end
  end
  return steps
end

--- Decides if the timer says so.
local function tick(book, decide, view, now, period)
  if book.moved and period > 0 and now > 0 and now % period == 0 then ask(book, decide, view, now) end
end

local function empty(list)
  for i = #list, 1, -1 do list[i] = nil end
end

--- Whether no order waits: between the slices of its class a job stands at its point, and is not changed there.
local function is_changed(view, entry)
  local has, ordered = view:nodes(entry.job)
  return has and has == ordered
end

--- Notes the changes that are in force now; whether there are any. Those of jobs whose next step has begun are not.
local function change_all(book, view, now)
  local changing, any = book.changing, false
  for i = #changing, 1, -1 do
    local entry = changing[i]
    if entry.point < now then entry.point = view:next_point(entry.job) or math.huge end
    if entry.point == now and entry.begun ~= now and is_changed(view, entry) then
      book:change(entry, now)
      any = true
    end
  end
  return any
end

--- Decides for each event of this instant: `came` are jobs that came, `ended` entries of jobs that ended. Both lists
--- are empty afterwards.
function events.one_by_one(book, decide, view, came, ended, params)
  local now, over = view.now, #ended > 0
  book:catch_up(view, now)
  if book:reconcile(view, #ended == 0) or book.refused then ask(book, decide, view, now) end
  if not params.submissions_first then tick(book, decide, view, now, params.period) end
  for i = 1, #came do
    book:submit(view, came[i])
    ask(book, decide, view, now)
  end
  if params.submissions_first then tick(book, decide, view, now, params.period) end
  local steps = steps_now(book, ended, view, now)
  for i = 1, #steps do
    local entry = steps[i]
    if entry.over then book:finish(entry) end
    if book.moved then ask(book, decide, view, now) end
    if not entry.over then
      if entry.is_changing then book:change(entry, now) end
      entry.begun = now
    end
  end
  if book.due == now then change_all(book, view, now) end -- of jobs without steps
  if over and book:reconcile(view, true) then ask(book, decide, view, now) end
  empty(came)
  empty(ended)
end

--- Decides on all that has happened, and again while something is changed at once. What the engine did not let it do,
--- it would be to do again.
function events.all_at_once(book, decide, view, came, ended)
  local now = view.now
  for i = 1, #ended do book:finish(ended[i]) end
  for i = 1, #came do book:submit(view, came[i]) end
  empty(came)
  empty(ended)
  change_all(book, view, now)
  book:recount(view)
  repeat ask(book, decide, view, now) until not change_all(book, view, now) or book.refused or book.full_at == now
end

--- Asks for a look at the next end of a step, and of the timer, if the last decision was no idle one. The engine keeps
--- the earliest look that it was asked for, so that those at steps of jobs whose orders it does not know are asked for
--- each time.
function events.wake(book, view, period)
  if not book.moved and book.silent == 0 then return end
  local next_look = period > 0 and (view.now // period + 1) * period or math.huge
  if #book.steady > 0 or #book.changing > 0 then
    local next_point = view:next_point()
    if next_point and next_point < next_look then next_look = next_point end
  end
  if next_look < math.huge then view:wake(next_look) end
end

return events
