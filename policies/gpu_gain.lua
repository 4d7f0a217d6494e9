-- LOMARC's pairs (Sodan & Lan 2005) and the choice of G-LOMARC-TS (Zeng 2009), on GPUs: of all pairs in which a waiting job
-- has a GPU in common with another waiting or a single running one, that which gains most, as long as both bear it and no job
-- that came earlier ends later than it may.
local sharing = require "gpu_sharing"

local book

-- U_gain: the work per second of both on one GPU, over that of one of them alone, less 1.
local function gain_of(view, a, b, kind, params)
  local alone_a, alone_b = a.speed[kind], b.speed[kind]
  if alone_a == 0 or alone_b == 0 then return nil end
  local kept_a, kept_b = book:beside(view, a, b, kind) / alone_a, book:beside(view, b, a, kind) / alone_b
  if math.min(kept_a, kept_b) * params.max_slowdown < 1 - 1e-9 then return nil end
  local gain = kept_a + kept_b - 1
  return gain > params.min_gain and gain or nil
end

-- Pairs of waiting jobs go where the first of them is fastest; a running one stays where it is.
local function candidates(view, block, params)
  local found = {}
  local function try(first, second, kind)
    local gain = sharing.may_share(first, second) and gain_of(view, first, second, kind, params)
    if gain then found[#found + 1] = { first = first, second = second, kind = kind, gain = gain, rank = #found } end
  end
  for i, r in ipairs(block) do
    local kind = r.gpus == 1 and book:fastest_free(view, r)
    for j = i + 1, kind and #block or 0 do try(r, block[j], kind) end
    for host in book:hosts() do try(host, r, host.kind) end
  end
  return found
end

-- Under low load the first job has a GPU for itself, unless it is faster beside another one on a GPU of a faster kind.
local function faster_than_alone(view, head, params)
  local found, kind = {}, book:fastest_free(view, head)
  for host in book:hosts() do
    local faster = kind and sharing.may_share(host, head) and book:beside(view, head, host, host.kind) > head.speed[kind]
    local gain = faster and gain_of(view, host, head, host.kind, params)
    if gain then found[#found + 1] = { first = host, second = head, kind = host.kind, gain = gain, rank = #found } end
  end
  return found
end

-- Until when a job should have ended: slack times what it could expect when it came.
local function bound(r, params) return r.submit + params.slack * r.expected end

-- With the pair no job of it, and none that waits ahead of it, ends later than it may, or, if that has passed, than without.
local function is_fair(view, pair, block, without, params)
  local now, a, b, k = view.now, pair.first, pair.second, pair.kind
  local function is_late(r, finish)
    return finish and finish > math.max(bound(r, params), without[r.id] or book:finish(r, now)) + 1e-6
  end
  local left_a, left_b = sharing.ends(
    book:left(a, now), book:beside(view, a, b, k), a.speed[k], book:left(b, now), book:beside(view, b, a, k), b.speed[k])
  if is_late(a, now + left_a) or is_late(b, now + left_b) then return false end
  local ahead = {}
  for _, r in ipairs(block) do
    if r == b then break end
    if r ~= a then ahead[#ahead + 1] = r end
  end
  if #ahead == 0 then return true end
  local place = { host = a.since and a, kind = k, till = now + math.max(left_a, left_b) }
  local finishes = sharing.play(ahead, book:releases(now, place), now)
  for _, r in ipairs(ahead) do
    if is_late(r, finishes[r.id]) then return false end
  end
  return true
end

-- The one with the largest gain of those that are fair.
local function best_pair(view, found, block, params)
  if #found == 0 then return nil end
  table.sort(found, function(a, b)
    if a.gain ~= b.gain then return a.gain > b.gain end
    return a.rank < b.rank
  end)
  local without = params.slack > 0 and sharing.play(block, book:releases(view.now), view.now)
  for i = 1, math.min(#found, params.tries) do
    local pair = found[i]
    local possible = not pair.first.since or view:fits(pair.second.job, { beside = pair.first.job })
    if possible and (not without or is_fair(view, pair, block, without, params)) then return pair end
  end
end

local function start_pair(view, pair)
  local a, b = pair.first, pair.second
  local why = ("they gain %.2f together, the most of all pairs that are fair"):format(pair.gain)
  if not a.since then
    view:because(a.job, why)
    book:start(view, a, pair.kind)
  end
  if not view:fits(b.job, { beside = a.job }) then return end -- it wants more of the node than its GPU
  view:because(b.job, why)
  book:join(view, b, a)
end

-- Alone on its fastest free GPU; one that asks for none, or for more than any kind has, wherever it fits.
local function start_alone(view, r)
  local kind = book:fastest_free(view, r)
  if not kind and (r.gpus > 0 and #book.running > 0 or not view:fits(r.job)) then return false end
  book:start(view, r, kind)
  return true
end

-- Each of the waiting jobs could have GPUs for itself.
local function low_load(queue)
  local free = 0
  for _, left in ipairs(book.free) do free = free + left end
  for _, r in ipairs(queue) do free = free - r.gpus end
  return free >= 0
end

-- The waiting jobs; new ones are told what they can expect: the queue ahead of them, each with GPUs for itself.
local function waiting(view)
  local queue, fresh = {}, false
  for job in view:waiting() do
    local r = book:record(view, job)
    queue[#queue + 1] = r
    fresh = fresh or not r.expected
  end
  if not fresh then return queue end
  local finishes = sharing.play(queue, book:releases(view.now), view.now)
  for _, r in ipairs(queue) do r.expected = r.expected or (finishes[r.id] or math.huge) - r.submit end
  return queue
end

---@type coslice.Policy
return {
  api = 1,
  name = "gpu_gain",
  version = "1",
  description = "Pairs of jobs on GPUs by utilization gain, as far as that is fair (after LOMARC, Sodan & Lan 2005, and "
    .. "G-LOMARC-TS, Zeng 2009); other jobs in order, each alone on the fastest GPU that is free.",
  params = {
    min_gain = { default = 0.45, doc = "MIN_UTILGAIN: a pair must gain more: both speeds over those alone, summed, less 1." },
    max_slowdown = { default = 1.6, min = 1, doc = "MAX_SL: slowdown by the partner that a job tolerates." },
    slack = {
      default = 1.5, min = 0,
      doc = "F_slack: response time allowed to jobs that came earlier, over what they could expect; 0: any.",
    },
    block_size = { default = 16, min = 1, integer = true, doc = "BLOCK_SIZE: so many waiting jobs are looked at." },
    tries = { default = 16, min = 1, integer = true, doc = "So many pairs are checked for fairness, the best first." },
    low_load = { default = true, doc = "Whether jobs have GPUs for themselves while there are enough for all that wait." },
  },
  placement = "first",
  begin = function(view) book = sharing.book(view) end,
  ended = function(view, job) book:ended(view, job) end,
  schedule = function(view, params)
    local queue = waiting(view)
    while #queue > 0 do
      local block = table.move(queue, 1, math.min(#queue, params.block_size), 1, {})
      local enough = params.low_load and low_load(queue)
      local found = enough and faster_than_alone(view, queue[1], params) or not enough and candidates(view, block, params)
      local pair = best_pair(view, found, block, params)
      if pair then
        start_pair(view, pair)
      elseif not start_alone(view, queue[1]) then
        return
      end
      queue = waiting(view)
    end
  end,
}
