-- Strategies for malleable jobs: those that wait have running ones shrink, and nodes that are free go to running jobs.

local Book = require "elastic_book"
local events = require "elastic_events"
local promises = require "elastic_promises"
local rules = require "elastic_rules"
local starts = require "elastic_starts"

--- What is kept for a class of jobs that have slices of time, or for all: the book, the strategy, and what came and
--- ended since the last pass.
---@type table<coslice.View, { book: table, decide: fun(), came: coslice.Job[], ended: table[] }>
local kept = {}

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
local function shrink_for_waiting(book, rule)
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
local function strategy(book, params)
  local rule, passing, skip = rule_of(params), passing_of(params), params.skip_after_start
  return function()
    book.promises:redeem(book)
    starts.in_order(book, rule, passing, skip)
    if rule.shrink and #book.steady > 0 then
      if book.first then shrink_for_waiting(book, rule) end
      if book:can_give() then rule.expand(book) end
    end
  end
end

local function new_book(view, params)
  local book = Book.new(view.capacity, promises.new(params.promise))
  book.foresees, book.separate = passing_of(params) == starts.easy, params.event_by_event
  return book
end

-- Why a job waits that was promised nodes, by how promises are redeemed.
local promised_words = {
  agreement = "it starts when the %d nodes are free that running jobs were ordered to give up for it",
  steal_agreement = "it starts when %d nodes are free that running jobs were ordered to give up for any job",
  common_pool = "it starts when %d nodes are free, for which running jobs were ordered to give up some",
}

--- Why a job waits that there seems to be room for.
local function reason(view, job, params)
  local book, rule, passes, entry = kept[view].book, rule_of(params), passing_of(params), job.entry
  if entry.promise > 0 then return nil, promised_words[params.promise]:format(entry.promise) end
  local loose, needs, first = book:loose(), entry[rule.needed], book.first
  local nodes = rule.start_size(entry, loose)
  if not nodes and book.free >= needs then
    return nil, ("%d of the %d free nodes had been given up for other jobs that wait, and it starts with %d"):format(
      book.free - loose, book.free, needs)
  elseif not nodes then
    return nil, ("it starts with %d whole nodes, and %d were free"):format(needs, loose)
  elseif entry ~= first and passes == starts.none_passes then
    return nil, ("job %d before it could not start, and no job passes it"):format(first.job.id)
  elseif entry ~= first and not passes(book, rule, entry, nodes, loose) then
    view:shadow(first.job) -- so that `explain` says when it is due, where the engine finds the same
    return nil, ("it would have delayed job %d, the first that waits"):format(first.job.id)
  elseif params.skip_after_start then
    return nil, "there was room, but the job behind one that starts is passed over (skip_after_start)"
  end
  return nil, "there was room only after the strategy had decided"
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

  submitted = function(view, job, params)
    local of = kept[view]
    if not of then
      of = { book = new_book(view, params), came = {}, ended = {} }
      of.decide = strategy(of.book, params)
      kept[view] = of
    end
    of.came[#of.came + 1] = job
  end,
  started = function(view, job)
    if job.entry and job.entry.has_started then return end
    local book = kept[view].book
    book.view = view
    if not job.entry then
      Book.remove_from(kept[view].came, job)
      book:submit(view, job)
    end
    book:note_start(job.entry)
  end,
  withdrawn = function(view, job)
    if job.entry then kept[view].book:withdraw(job.entry) else Book.remove_from(kept[view].came, job) end
  end,
  ended = function(view, job)
    local ended = kept[view].ended
    job.entry.over = true
    ended[#ended + 1] = job.entry
  end,
  resized = function(view, job)
    job.entry.point, kept[view].book.due = view.now, view.now
  end,

  reason = reason,

  schedule = function(view, params)
    local of = kept[view]
    if not of then return end
    of.book.view = view
    if params.event_by_event then events.one_by_one(of.book, of.decide, view, of.came, of.ended, params)
    else events.all_at_once(of.book, of.decide, view, of.came, of.ended)
    end
    events.wake(of.book, view, params.period)
  end,
}
