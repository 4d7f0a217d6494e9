-- Starting waiting jobs in order, and letting some pass the first one that has to wait (EASY backfilling).
local starts = {}

--- When the first job can start, and how many nodes it leaves then: from those free now and the ends of all that run,
--- with the nodes that they have.
local function shadow(book, needed, loose)
  local ends = {}
  for i, entry in ipairs(book.running) do ends[i] = entry end
  table.sort(ends, function(a, b)
    return a.ends < b.ends or a.ends == b.ends and a.number < b.number
  end)
  local time = book.view.now
  for _, entry in ipairs(ends) do
    if loose >= needed and entry.ends > time then break end
    loose, time = loose + entry.held, entry.ends
  end
  return time, loose - needed
end

-- Which jobs may pass the first one that has to wait: functions of the book, the rule, the job, the nodes that it
-- would get and how many there are.

function starts.all_pass() return true end
function starts.none_passes() return false end

--- Those that do not delay it: they end before it can start, or leave enough nodes then.
function starts.easy(book, rule, entry, nodes, loose)
  local time, extra = shadow(book, book.first[rule.needed], loose)
  return nodes <= extra or book.view.now + entry.durations[nodes] <= time
end

--- Goes through the jobs that wait without a promise, and starts those that fit and may pass. With `skip`, the job
--- behind each that starts is passed over.
function starts.in_order(book, rule, passes, skip)
  local loose, entry = book:loose(), book.first
  while loose > 0 and entry and (entry == book.first or passes ~= starts.none_passes) do
    local next, nodes = entry.next, rule.start_size(entry, loose)
    if nodes and (entry == book.first or passes(book, rule, entry, nodes, loose)) and book:may_start(entry, nodes) then
      book:start(entry, nodes)
      loose = book:loose()
      if skip and next then next = next.next end
    end
    entry = next
  end
end

return starts
