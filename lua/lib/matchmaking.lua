-- Groups of jobs that share GPUs or nodes, by utilization gain and as far as that is fair: the choice of LOMARC (Sodan & Lan
-- 2005) and G-LOMARC-TS (Zeng 2009) for machines with kinds of nodes. A primary job shares its units (GPUs, or nodes) with
-- others, each unit with one.
--
--   local matchmaking = require "matchmaking"
--   return matchmaking.policy({ api = 1, name = ..., params = matchmaking.with_params { ... } }, "gpus")    -- or "nodes"
local groups = require "group_choice"
local forecast = require "queue_forecast"
local sharing = require "sharing_book"
local three_classes = require "three_classes"

local matchmaking = {}

local own_params = {
  slack = {
    default = 1.5, min = 0,
    doc = "F_slack: response time allowed to jobs that came earlier, over what they could expect; 0: any.",
  },
  block_size = { default = 16, min = 1, integer = true, doc = "BLOCK_SIZE: so many waiting jobs are looked at." },
  tries = { default = 16, min = 1, integer = true, doc = "So many groups are checked for fairness, the best first." },
  low_load = { default = true, doc = "Whether jobs have what they ask for to themselves while there is enough for all." },
  backfill = { default = true, doc = "Whether jobs may start alone behind the first one where they do not delay it." },
  sliced = { default = false, doc = "In the time slices of Scojo-PECT; else all jobs in one queue." },
}

--- Adds the parameters that such a policy has to its own.
function matchmaking.with_params(params)
  for name, param in pairs(own_params) do params[name] = params[name] or param end
  return three_classes.with_params(params)
end

local books = {} -- by view: one for each class of jobs in time slices

-- Where jobs go that are started without a place, or in slices of others: to units that no job has.
local alone = {
  nodes = function(node) return node.jobs == 0 and 1 or nil end,
  gpus = function(node, job)
    local idle, gpus = {}, job.request.gpus
    for g, left in ipairs(node.gpu_free) do
      if left == 1 and #idle < gpus then idle[#idle + 1] = g end
    end
    if gpus == 0 then return 1 end
    if #idle == gpus then return 1, idle end
  end,
}

-- Alone on the fastest kind that has enough; one that asks for no units, or for more than any kind has, wherever it fits.
local function start_alone(view, book, r)
  local kind = book:fastest_free(view, r)
  if kind then
    view:start(r.job, { kind = book.kinds[kind].name, alone = true })
    return true
  end
  local place = r.units > 0 and { alone = true } or nil
  if r.fits_one and r.units > 0 and #book.running > 0 or not view:fits(r.job, place) then return false end
  view:start(r.job, place)
  return true
end

-- Jobs behind the first one, which cannot start, where they leave it what it is to have (EASY backfilling).
local function backfill(view, book, queue)
  local head = queue[1]
  if head.units == 0 then return end -- what it waits for is not in the book
  local releases = forecast.releases(book, view)
  local kind, start, _, spare = forecast.place(head, releases, view.now)
  if not kind then start, _, spare = forecast.spread(head, releases, view.now) end
  if not start then return end
  for i = 2, #queue do
    local r = queue[i]
    local k = book:fastest_free(view, r)
    local elsewhere = k and (kind and k ~= kind or head.speed[k] == 0)
    local ends_by = elsewhere or k and view.now + r.left / r.speed[k] <= start + 1e-6
    if k and (ends_by or r.units <= spare) then
      if not ends_by then spare = spare - r.units end
      start_alone(view, book, r)
    end
  end
end

-- Each of the waiting jobs could have what it asks for to itself.
local function low_load(book, queue)
  local free = 0
  for _, left in ipairs(book.free) do free = free + left end
  for _, r in ipairs(queue) do free = free - r.units end
  return free >= 0
end

-- The waiting jobs; new ones are told what they can expect: the queue ahead of them, each with what it asks for to itself.
local function waiting(view, book)
  local queue, fresh = {}, false
  for job in view:waiting() do
    local r = book:record(view, job)
    queue[#queue + 1] = r
    fresh = fresh or not r.expected
  end
  if not fresh then return queue end
  local finishes = forecast.play(queue, forecast.releases(book, view), view.now)
  for _, r in ipairs(queue) do
    if not r.expected then r.expected = view:machine_time(finishes[r.id] or math.huge) - r.submit end
  end
  return queue
end

local function schedule(view, params)
  local book = books[view]
  if params.sliced then book:look_again(view) end
  local queue = waiting(view, book)
  while #queue > 0 do
    local block = table.move(queue, 1, math.min(#queue, params.block_size), 1, {})
    local enough = params.low_load and low_load(book, queue)
    local found = enough and groups.faster_than_alone(view, book, queue[1], params)
      or not enough and groups.candidates(view, book, block, params)
    local group = groups.best(view, book, found, block, params)
    if group then
      groups.start(view, book, group)
    elseif not start_alone(view, book, queue[1]) then
      if params.backfill then backfill(view, book, queue) end
      return
    end
    queue = waiting(view, book)
  end
end

--- Completes a policy to one that forms groups of jobs on "gpus", or on "nodes".
function matchmaking.policy(policy, of)
  policy.placement = alone[of]
  policy.slices = function(params) return params.sliced and three_classes.slices(params) or nil end
  policy.begin = function(view) books[view] = sharing.book(view, of) end
  policy.started = function(view, job) books[view]:started(view, job) end
  policy.ended = function(view, job) books[view]:ended(view, job) end
  policy.schedule = schedule
  return policy
end

return matchmaking
