-- expect(value).matcher(...): what a suite may claim of a value or of a run.
-- A matcher gives whether its claim holds (nil: it was asked wrongly), and what a failure says of the claim and of its
-- negation: texts, or functions that make them.
local show = require("test_show")

local function same(a, b)
  if a == b then return true end
  if type(a) ~= "table" or type(b) ~= "table" then return false end
  for k, v in pairs(a) do
    if not same(v, b[k]) then return false end
  end
  for k in pairs(b) do
    if a[k] == nil then return false end
  end
  return true
end

--- A comparison of numbers: `relation` in words, `holds` decides.
local function comparison(relation, holds)
  return function(got, limit)
    if type(limit) ~= "number" then return nil, "the limit must be a number, got " .. show.value(limit) end
    local ok = type(got) == "number" and holds(got, limit)
    return ok, "expected a number " .. relation .. " " .. show.value(limit) .. ", got " .. show.value(got),
      "expected no number " .. relation .. " " .. show.value(limit) .. ", got " .. show.value(got)
  end
end

--- Seconds, or "2%" of what is expected; nil if it is neither.
local function tolerance_of(tolerance, wanted)
  local percent = type(tolerance) == "string" and tonumber(tolerance:match("^%s*([%d.]+)%s*%%%s*$"))
  if percent then return math.abs(wanted) * percent / 100 end
  return type(tolerance) == "number" and tolerance >= 0 and tolerance or nil
end

local function contains(got, part)
  if type(got) == "string" then return type(part) == "string" and got:find(part, 1, true) ~= nil end
  if type(got) ~= "table" then return false end
  for _, item in ipairs(got) do
    if same(item, part) then return true end
  end
  return false
end

return function(engine)
  local matchers = {}

  function matchers.equals(got, wanted)
    return same(got, wanted), "expected " .. show.value(wanted) .. ", got " .. show.value(got),
      "expected anything but " .. show.value(wanted)
  end

  --- A matcher for one value.
  local function is(wanted)
    return function(got)
      return got == wanted, ("expected %s, got %s"):format(show.value(wanted), show.value(got)),
        "expected anything but " .. show.value(wanted)
    end
  end
  matchers.is_true, matchers.is_false = is(true), is(false)
  function matchers.is_nil(got)
    return got == nil, "expected nil, got " .. show.value(got), "expected anything but nil"
  end

  function matchers.near(got, wanted, tolerance)
    local allowed = type(wanted) == "number" and tolerance_of(tolerance, wanted)
    if not allowed then
      return nil, ('near needs a number and a tolerance, as near(10, 0.5) or near(10, "2%%"); got %s, %s'):format(
        show.value(wanted), show.value(tolerance))
    end
    local ok = type(got) == "number" and math.abs(got - wanted) <= allowed
    local claim = show.value(wanted) .. " within "
      .. (type(tolerance) == "string" and tolerance or show.number(tolerance))
    return ok, ("expected %s, got %s"):format(claim, show.value(got)),
      ("expected anything but %s, got %s"):format(claim, show.value(got))
  end

  matchers.less_than = comparison("below", function(a, b) return a < b end)
  matchers.at_most = comparison("of at most", function(a, b) return a <= b end)
  matchers.greater_than = comparison("above", function(a, b) return a > b end)
  matchers.at_least = comparison("of at least", function(a, b) return a >= b end)

  function matchers.contains(got, part)
    return contains(got, part), "expected something that contains " .. show.value(part) .. ", got " .. show.value(got),
      "expected nothing that contains " .. show.value(part) .. ", got " .. show.value(got)
  end

  function matchers.matches(got, pattern)
    if type(pattern) ~= "string" then return nil, "matches needs a pattern, got " .. show.value(pattern) end
    local ok = type(got) == "string" and got:find(pattern) ~= nil
    return ok, "expected a text that matches " .. show.value(pattern) .. ", got " .. show.value(got),
      "expected no text that matches " .. show.value(pattern) .. ", got " .. show.value(got)
  end

  function matchers.raises(action, text)
    if type(action) ~= "function" then return nil, "raises needs a function: expect(function() ... end).raises(...)" end
    local fine, problem = pcall(action)
    if engine.skipping() then error(problem, 0) end
    local message = fine and "" or tostring(problem)
    local ok = not fine and (text == nil or message:find(text, 1, true) ~= nil)
    local claim = text and "an error with " .. show.value(text) or "an error"
    return ok, "expected " .. claim .. ", got " .. (fine and "none" or show.value(message)),
      "expected no error" .. (text and " with " .. show.value(text) or "") .. ", got " .. show.value(message)
  end

  --- A claim on one field of each job, in the order of the jobs. `false` stands for a job that has none.
  local function each_job(field)
    return function(run, wanted)
      engine.check_run(run, field == "start" and "starts" or "finishes")
      if type(wanted) ~= "table" then return nil, "expected a list of seconds, got " .. show.value(wanted) end
      local jobs, ok = run.jobs, #run.jobs == #wanted
      for i = 1, #wanted do
        ok = ok and (jobs[i][field] or false) == wanted[i]
      end
      return ok,
        function() return show.differing_jobs("the jobs do not " .. field .. " as expected", jobs, field, wanted) end,
        "the jobs " .. field .. " as they should not"
    end
  end
  matchers.starts = each_job("start")
  matchers.finishes = each_job("finish")

  function matchers.starts_like(run, other)
    engine.check_run(run, "starts_like")
    engine.check_run(other, "starts_like(...)")
    local wanted = {}
    for i, job in ipairs(other.jobs) do wanted[i] = job.start or false end
    return engine.same_starts(run, other),
      function()
        if run.policy == other.policy then
          return show.differing_jobs("the jobs do not start as in the other run", run.jobs, "start", wanted)
        end
        local title = ("the jobs do not start as under '%s'"):format(other.policy)
        return show.differing_jobs(title, run.jobs, "start", wanted, other.policy, run.policy)
      end,
      ("all jobs start as under '%s'"):format(other.policy)
  end

  function matchers.violates_nothing(run)
    engine.check_run(run, "violates_nothing")
    return #run.violations == 0, "the run violates:\n" .. table.concat(run.violations, "\n"), "the run violates nothing"
  end

  function matchers.keeps_promises(run)
    engine.check_run(run, "keeps_promises")
    return #run.broken_promises == 0, "the run breaks reservations:\n" .. table.concat(run.broken_promises, "\n"),
      "the run keeps all reservations"
  end

  function matchers.keeps_claims(run)
    engine.check_run(run, "keeps_claims")
    return #run.broken_claims == 0, "the run breaks what the policy claims:\n" .. table.concat(run.broken_claims, "\n"),
      "the run keeps what the policy claims"
  end

  function matchers.matches_golden(value, name)
    if type(name) ~= "string" then return nil, 'matches_golden needs a name: matches_golden("name")' end
    local difference = engine.golden(value, name)
    return difference == nil, difference, "it is what the golden snapshot '" .. name .. "' says"
  end

  local names = table.keys(matchers)
  local unused  -- where an expectation stands that has claimed nothing yet

  local function as_text(text) return type(text) == "function" and text() or text end

  local function expectation(value, negated)
    return setmetatable({}, {
      __index = function(_, name)
        if name == "never" then return expectation(value, not negated) end
        local matcher = matchers[name]
        if not matcher then engine.unknown("there is no expectation", name, names) end
        return function(...)
          unused = nil
          local holds, text, negated_text = matcher(value, ...)
          if holds == nil or (not holds and not negated) then engine.fail(as_text(text)) end
          if holds and negated then engine.fail(as_text(negated_text)) end
        end
      end,
    })
  end

  return {
    expect = function(...)
      if select("#", ...) ~= 1 then engine.fail(("expect takes one value, got %d"):format(select("#", ...))) end
      unused = engine.line()
      return expectation((...), false)
    end,
    --- The case is over: was every expectation one?
    finish = function()
      if unused then engine.fail("this expect has no matcher; write e.g. expect(x).equals(y)", unused) end
    end,
    start = function() unused = nil end,
  }
end
