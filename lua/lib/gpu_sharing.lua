-- Who is on which GPU, alone or in a pair, what is left of each job, and when they are believed to end; and when those that
-- wait would end if each had GPUs for itself, in the order of the queue. For policies that decide at arrivals and ends.
--
--   local sharing = require "gpu_sharing"
--   local book = sharing.book(view)
--
-- A job is seen as a record: job, id, submit, gpus (that it asks for), share (of each), application, speed (alone, by number
-- of the kind); while it runs kind, partner, left (seconds of its run time, at `since`) and rate.
local Book = {}
Book.__index = Book

local module = {}

--- A book of the machine's GPUs, of which none is taken yet.
function module.book(view)
  local kinds = view:kinds()
  local free = {}
  for k, kind in ipairs(kinds) do free[k] = kind.nodes * kind.gpus end
  return setmetatable({ kinds = kinds, free = free, records = {}, running = {}, known = {} }, Book)
end

--- The record of a job.
function Book:record(view, job)
  local r = self.records[job.id]
  if r then return r end
  local asked = view:request(job)
  r = {
    job = job, id = job.id, submit = job.submit, application = job.application, left = job.estimate,
    gpus = asked.gpus * asked.nodes, share = asked.gpu_share, speed = {},
  }
  for k, kind in ipairs(self.kinds) do r.speed[k] = view:speed(job, kind.name) end
  self.records[job.id] = r
  return r
end

--- How fast the job is on a kind beside the other one. Jobs of the same two programs are asked about once.
function Book:beside(view, r, other, k)
  if r.application == "" or other.application == "" then return view:speed(r.job, self.kinds[k].name, other.job) end
  local of_kind = self.known[k] or {}
  local of_program = of_kind[r.application] or {}
  self.known[k], of_kind[r.application] = of_kind, of_program
  local speed = of_program[other.application]
  if not speed then
    speed = view:speed(r.job, self.kinds[k].name, other.job)
    of_program[other.application] = speed
  end
  return speed
end

--- Whether they can have a GPU in common, as far as what they ask for goes.
function module.may_share(r, other) return r.gpus == 1 and other.gpus == 1 and r.share + other.share <= 1 end

--- The kind on which the job is fastest, of those where it could start alone now; nil if there is none.
function Book:fastest_free(view, r)
  local best, most = nil, 0
  for k, kind in ipairs(self.kinds) do
    if r.gpus > 0 and self.free[k] >= r.gpus and r.speed[k] > most
      and view:fits(r.job, { kind = kind.name, alone = true }) then
      best, most = k, r.speed[k]
    end
  end
  return best
end

--- The running jobs that are alone on their GPUs, in order of their starts.
function Book:hosts()
  local i = 0
  return function()
    repeat
      i = i + 1
      local r = self.running[i]
    until not r or r.kind and not r.partner
    return self.running[i]
  end
end

-- --- starts and ends

-- What is left of the job now, and how fast it goes on from now on.
local function settle(r, now, rate)
  if r.since then r.left = math.max(0, r.left - (now - r.since) * r.rate) end
  r.since, r.rate = now, rate
end

--- Starts a job alone on a kind; without one, where the placement puts it.
function Book:start(view, r, k)
  view:start(r.job, k and { kind = self.kinds[k].name, alone = true } or nil)
  self.running[#self.running + 1] = r
  r.kind = k
  if k then self.free[k] = self.free[k] - r.gpus end
  settle(r, view.now, k and r.speed[k] or 1)
end

--- Starts a job beside one that runs alone.
function Book:join(view, r, host)
  view:start(r.job, { beside = host.job })
  self.running[#self.running + 1] = r
  r.kind, r.partner, host.partner = host.kind, host, r
  settle(r, view.now, self:beside(view, r, host, r.kind))
  settle(host, view.now, self:beside(view, host, r, r.kind))
end

--- To be called in the hook `ended`.
function Book:ended(view, job)
  local r = self.records[job.id]
  self.records[job.id] = nil
  for i, other in ipairs(self.running) do
    if other == r then
      table.remove(self.running, i)
      break
    end
  end
  if not r or not r.kind then return end
  local partner = r.partner
  if not partner then
    self.free[r.kind] = self.free[r.kind] + r.gpus
    return
  end
  partner.partner = nil
  settle(partner, view.now, partner.speed[r.kind])
end

-- --- what is to come

-- What is left of a job that runs.
local function left_at(r, now) return math.max(0, r.left - (now - r.since) * r.rate) end

--- How long until each of two jobs ends that run beside one another from now on: what is left of them, and their speeds
--- beside one another and alone.
function module.ends(left_a, beside_a, alone_a, left_b, beside_b, alone_b)
  local a, b = left_a / beside_a, left_b / beside_b
  if a <= b then return a, a + (left_b - a * beside_b) / alone_b end
  return b + (left_a - b * beside_a) / alone_a, b
end

--- What is left of a job: all of it, if it waits.
function Book:left(r, now) return r.since and left_at(r, now) or r.left end

--- When a running job is believed to end.
function Book:finish(r, now)
  local p = r.partner
  if not p then return now + left_at(r, now) / r.rate end
  local own = module.ends(left_at(r, now), r.rate, r.speed[r.kind], left_at(p, now), p.rate, p.speed[r.kind])
  return now + own
end

--- The instants at which the GPUs of each kind come free, in order. With `pair`: as if a pair had a GPU until `pair.till`,
--- that of `pair.host`, which runs, or else a free one of the kind `pair.kind`.
function Book:releases(now, pair)
  local lists = {}
  for k, free in ipairs(self.free) do
    lists[k] = {}
    if pair and not pair.host and pair.kind == k then
      free = free - 1
      lists[k][1] = pair.till
    end
    for _ = 1, free do table.insert(lists[k], now) end
  end
  for _, r in ipairs(self.running) do
    local p = r.partner
    if r.kind and not (p and p.id < r.id) then
      local instant = self:finish(r, now)
      if p then instant = math.max(instant, self:finish(p, now)) end
      if pair and pair.host == r then instant = pair.till end
      for _ = 1, r.gpus do table.insert(lists[r.kind], instant) end
    end
  end
  for _, list in ipairs(lists) do table.sort(list) end
  return lists
end

-- Where the job would end soonest, from the instants at which GPUs come free; and it is put there.
local function place(r, lists, not_before)
  local best, best_start, best_finish
  for k, list in ipairs(lists) do
    if r.speed[k] > 0 and #list >= r.gpus and r.gpus > 0 then
      local start = math.max(list[r.gpus], not_before)
      local finish = start + r.left / r.speed[k]
      if not best or finish < best_finish then best, best_start, best_finish = k, start, finish end
    end
  end
  if not best then return nil end
  local list = lists[best]
  table.move(list, r.gpus + 1, #list, 1)
  local at = #list - r.gpus
  while at > 0 and list[at] > best_finish do
    list[at + r.gpus] = list[at]
    at = at - 1
  end
  for i = 1, r.gpus do list[at + i] = best_finish end
  return best_finish, best_start
end

--- When the jobs of a list would end if each had GPUs for itself, in this order, none before the one ahead of it, from the
--- instants at which GPUs come free: by the jobs' ids. Jobs that ask for none are left out.
function module.play(queue, lists, now)
  local finishes, last = {}, now
  for _, r in ipairs(queue) do
    local finish, start = place(r, lists, last)
    if finish then finishes[r.id], last = finish, start end
  end
  return finishes
end

return module
