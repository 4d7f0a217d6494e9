-- LOMARC, which also notes, where a pair was formed, how many of the jobs to choose from ageing has not yet lifted to
-- the priority of short ones. `lifted` says how those are treated that it has.

local policy = require "lomarc"
local schedule, started = policy.schedule, policy.started

local step = math.huge -- T_age of this pass

--- Whether a medium or long job has come to the priority of short ones.
local function is_lifted(view, job, params)
  local level = job.estimate <= params.medium and 1 or 2
  return level <= (view.now - job.submit) // step
end

--- What the queue held for a job that has found a partner: how many that are not lifted, and of them no wider than it.
local function count(view, job, head, params)
  local below, narrower = 0, 0
  for other in view:waiting() do
    if other ~= job and other ~= head and other.estimate > params.short and not is_lifted(view, other, params) then
      below = below + 1
      if other.nodes <= job.nodes then narrower = narrower + 1 end
    end
  end
  view:note("below.medium_or_long", below)
  view:note("below.narrower", narrower)
end

--- What lomarc.lua asks of the view and gets another answer to.
local function answers(view, params)
  local own, job, head, found = {}, nil, nil, nil
  local finds_none = params.lifted == "short"
  local is_none = finds_none or params.lifted == "no-partners"

  function own.age(_, by, least)
    step = by
    view:age(by, least)
  end

  function own.partners(_, searching, rules)
    job, head = searching, rules.behind
    local list, long, narrow, memory, matchable, slow = view:partners(job, rules)
    if is_none then
      local none = finds_none and is_lifted(view, job, params)
      list = list:where(function(other) return not none and not is_lifted(view, other, params) end)
    end
    return list, long, narrow, memory, matchable, slow
  end

  function own.running_partners(_, searching, rules)
    local list = view:running_partners(searching, rules)
    if not is_none then return list end
    local none = finds_none and is_lifted(view, searching, params)
    return list:where(function(other) return not none and not other.was_lifted end)
  end

  function own.best_pair(_, searching, list, choice)
    local pair, rank, profit = view:best_pair(searching, list, choice)
    found = rank and list:jobs(rank)[rank]
    return pair, rank, profit
  end

  function own.note(_, name, value)
    view:note(name, value)
    if name ~= "search.chosen" then return end
    count(view, job, head, params)
    view:note("chosen.lifted", is_lifted(view, found, params) and 1 or 0)
  end
  return own
end

--- The view with these answers. Whatever else is asked goes to the view itself.
local function answering(view, own)
  return setmetatable({}, { __index = function(_, name)
    if own[name] then return own[name] end
    local of = view[name]
    return type(of) == "function" and function(_, ...) return of(view, ...) end or of
  end })
end

policy.name = "lifted"
policy.description = "LOMARC, which counts the jobs that ageing has lifted, or treats them as short ones."
policy.params.lifted = {
  default = "as-others", choices = { "as-others", "no-partners", "short" },
  doc = "Jobs with a short one's priority: as LOMARC has them; nobody's partners; nor do they look for any.",
}
policy.started = function(view, job, params)
  job.was_lifted = is_lifted(view, job, params)
  started(view, job, params)
end
policy.schedule = function(view, params) return schedule(answering(view, answers(view, params)), params) end
return policy
