-- Strategies for malleable jobs: those that wait have running ones shrink, and nodes that are free go to running jobs.

local Book = require "elastic_book"
local events = require "elastic_events"
local promises = require "elastic_promises"
local rules = require "elastic_rules"
local starts = require "elastic_starts"

local book, decide
local came, ended = {}, {} -- since the last pass

local function rule_of(params)
  if params.rule == "average" and params.average_wrong_way then return rules.average_wrong_way end
  return rules[params.rule] or rules.rigid
end

--- Which jobs may pass the first one that has to wait.
local function passing_of(params)
  if params.rule == "rigid_backfill" then return starts.all_pass end
  return params.easy_never_passes and starts.none_passes or starts.easy
end

--- Running jobs give up nodes for waiting ones: for each the least that it needs, or more, or nothing.
local function shrink_for_waiting(rule)
  local entry, spare = book.first, rules.spare(book.steady, "least")
  while entry and spare > 0 do
    local next = entry.next
    if entry.least <= spare then
      rule.shrink(book, entry)
      spare = spare - entry.promise
      book:await(entry)
    end
    entry = next
  end
end

--- The strategy: what is done after an event.
local function strategy(params)
  local rule, passing, skip = rule_of(params), passing_of(params), params.skip_after_start
  return function()
    book.promises:redeem(book)
    starts.in_order(book, rule, passing, skip)
    if rule.shrink and #book.steady > 0 then
      if book.first then shrink_for_waiting(rule) end
      if book:loose() > 0 then rule.expand(book) end
    end
  end
end

---@type coslice.Policy
return {
  api = 1,
  name = "posner",
  version = "1",
  description = "Strategies for malleable jobs (Posner, Hupfeld & Finnerty 2023): those that wait have running ones "
    .. "shrink for them, which promise them what they give up; nodes that are free go to running jobs. Without the "
    .. "faults of the published programs, unless they are asked for.",
  params = {
    rule = {
      default = "pref", choices = { "min", "pref", "average", "rigid_backfill", "rigid_easy_backfill" },
      doc = "With how many nodes jobs start, who gives nodes up, and who gets them: by their least, by their preferred "
        .. "size, all alike; or rigid jobs, first fit or EASY.",
    },
    promise = {
      default = "agreement", choices = { "agreement", "steal_agreement", "common_pool" },
      doc = "A job starts on the nodes given up for it, on such nodes of anybody, or on any that are free.",
    },
    skip_after_start = { default = false, doc = "The job behind each that starts is passed over." },
    easy_never_passes = { default = false, doc = "No job passes the first one that waits." },
    average_wrong_way = {
      default = false,
      doc = "Average: one job after the other gives up all that it can, and one gets all.",
    },
    event_by_event = {
      default = false,
      doc = "It decides after each event of an instant by itself, and before a change that comes into force.",
    },
    submissions_first = { default = false, doc = "With event_by_event: before the timer of that instant." },
    period = { default = 0, min = 0, doc = "It decides at least so often, s; 0: only when something happens." },
  },

  begin = function(view, params)
    book = Book.new(view.capacity, promises.new(params.promise))
    book.foresees, book.separate = passing_of(params) == starts.easy, params.event_by_event
    decide = strategy(params)
  end,

  submitted = function(_, job) came[#came + 1] = job end,
  withdrawn = function(_, job)
    if job.entry then book:withdraw(job.entry)
    else
      for i, other in ipairs(came) do
        if other == job then table.remove(came, i) break end
      end
    end
  end,
  ended = function(_, job)
    job.entry.over = true
    ended[#ended + 1] = job.entry
  end,
  resized = function(view, job)
    job.entry.point, book.due = view.now, view.now
  end,

  schedule = function(view, params)
    book.view = view
    if params.event_by_event then events.one_by_one(book, decide, view, came, ended, params)
    else events.all_at_once(book, decide, view, came, ended)
    end
    events.wake(book, view, params.period)
  end,
}
