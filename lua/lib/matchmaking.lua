-- Groups of jobs that share GPUs or nodes, by utilization gain and as far as that is fair: the choice of LOMARC (Sodan
-- & Lan 2005) and G-LOMARC-TS (Zeng 2009) for machines with kinds of nodes. A primary job shares its units (GPUs, or
-- nodes) with others, each unit with one.
--
--   local matchmaking = require "matchmaking"
--   -- Or "nodes".
--   return matchmaking.policy({ api = 1, name = ..., params = matchmaking.with_params { ... } }, "gpus")
local three_classes = require "three_classes"

local matchmaking = {}

local own_params = {
  slack = {
    default = 1.5, min = 0,
    doc = "F_slack: response time allowed to jobs that came earlier, over what they could expect; 0: any.",
  },
  block_size = { default = 16, min = 1, integer = true, doc = "BLOCK_SIZE: so many waiting jobs are looked at." },
  tries = { default = 16, min = 1, integer = true, doc = "So many groups are checked for fairness, the best first." },
  low_load = { default = true, doc = "Whether jobs have what they ask for to themselves while there is enough for "
    .. "all." },
  backfill = { default = true, doc = "Whether jobs may start alone behind the first one where they do not delay it." },
  sliced = { default = false, doc = "In the time slices of Scojo-PECT; else all jobs in one queue." },
}

--- Adds the parameters that such a policy has to its own.
function matchmaking.with_params(params)
  for name, param in pairs(own_params) do params[name] = params[name] or param end
  return three_classes.with_params(params)
end

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

-- Alone on the fastest kind that has enough; one that asks for no units, or for more than any kind has, wherever it
-- fits.
local function start_alone(view, units, job)
  local kind = units:fastest(job)
  if kind then
    view:start(job, { kind = kind, alike = true, alone = true })
    return true
  end
  local place = units:asked(job) > 0 and { alone = true } or nil
  if place and units:fits_one(job) and units:running() > 0 or not view:fits(job, place) then return false end
  view:start(job, place)
  return true
end

-- Jobs behind the first one, which cannot start, where they leave it what it is to have (EASY backfilling).
local function backfill(view, units, head)
  local start, spare, kind = units:earliest(head)
  if not start then return end -- what it waits for is no unit
  for job in view:waiting(head) do
    if units:free() == 0 then return end
    local k = units:fastest(job)
    local elsewhere = k and (kind and k ~= kind or view:speed(head, k) == 0)
    local ends_by = elsewhere or k and view.now + job.estimate / view:speed(job, k) <= start + 1e-6
    if k and (ends_by or units:asked(job) <= spare) then
      if not ends_by then spare = spare - units:asked(job) end
      view:start(job, { kind = k, alike = true, alone = true })
    end
  end
end

-- --- groups

-- Where the first of the group's jobs that wait is to start, with room for the others; and which that are.
local function first_place(group)
  local rest = table.move(group.coming, 2, #group.coming, 1, {})
  local place = { kind = group.kind, alike = true, alone = true }
  if group.coming[1] ~= group.primary then
    place = { beside = group.primary, alone = true }
  elseif #group.coming == 1 then -- the guests run
    place.beside, place.idle = group.guests, true
  end
  if #rest > 0 then place.with = rest end
  return place, rest
end

local function ids(jobs)
  local words = {}
  for i, job in ipairs(jobs) do words[i] = ("%d"):format(job.id) end
  return (#words == 1 and "job " or "jobs ") .. table.concat(words, ", ")
end

-- Why these share: what each is to keep of its speed, and what the choice was.
local function reason(found, i)
  local group, words = found[i], {}
  for j, guest in ipairs(group.guests) do
    words[j] = ("job %d keeps %.2f of its speed beside job %d, which keeps %.2f"):format(
      guest.id, group.kept[j], group.primary.id, group.of_primary[j])
  end
  local text = ("%s: a gain of %.2f"):format(table.concat(words, ", "), group.gain)
  if i > 1 then text = ("%s; %d with more would not fit or not be fair"):format(text, i - 1) end
  local other = found[i + 1]
  if not other then return text .. "; there was no other group" end
  return ("%s; next, %s beside job %d with %.2f"):format(text, ids(other.guests), other.primary.id, other.gain)
end

-- Starts those jobs of the group that gains most, of those that are fair, that wait. False: there is none.
local function start_group(view, units, found, params)
  for i = 1, math.min(#found, params.tries) do
    local group = found[i]
    local place, rest = first_place(group)
    if view:fits(group.coming[1], place) and units:fair(i) then
      local why = reason(found, i)
      view:because(group.coming[1], why)
      view:start(group.coming[1], place)
      for _, job in ipairs(rest) do
        local beside = { beside = group.primary, alone = true }
        if not view:fits(job, beside) then return true end -- another one has just taken the last licence
        view:because(job, why)
        view:start(job, beside)
      end
      return true
    end
  end
  return false
end

-- --- a pass

local function schedule(view, units, params)
  local rules = {
    depth = params.block_size, max_slowdown = params.max_slowdown, min_gain = params.min_gain, slack = params.slack,
    most = params.tries + 1,
  }
  units:expect()
  local head = view:head()
  while head do
    local enough = params.low_load and units:free() >= units:wanted()
    local found = enough and units:faster_beside(head, rules) or not enough and units:groups(rules)
    if not start_group(view, units, found, params) and not start_alone(view, units, head) then
      if params.backfill then backfill(view, units, head) end
      return
    end
    head = view:head()
  end
end

-- Why a job waits that there seems to be room for: no group was to be had, and this is why it does not run alone.
local function why_not(view, units, job, params, of)
  local head, no_group = view:head(), "no group of jobs with it gained enough and was fair"
  if not head or head.id == job.id then return nil, no_group end
  local first = ("job %d, the first in the queue"):format(head.id)
  local why = ("alone it would have delayed %s"):format(first)
  if not params.backfill then
    why = ("no job starts alone behind %s (backfill)"):format(first)
  elseif not units:earliest(head) then
    why = ("no job starts alone behind %s, which does not wait for %s"):format(first, of)
  elseif not units:fastest(job) then
    why = ("behind %s, it starts alone only on %s of one kind without other jobs"):format(first, of)
  end
  return nil, ("%s; %s"):format(why, no_group)
end

--- Completes a policy to one that forms groups of jobs on "gpus", or on "nodes".
function matchmaking.policy(policy, of)
  policy.placement, policy.units = alone[of], of
  policy.slices = function(params) return params.sliced and three_classes.slices(params) or nil end
  policy.begin = function(view) view:units(of) end
  policy.schedule = function(view, params) schedule(view, view:units(of), params) end
  local words = of == "gpus" and "GPUs" or of
  policy.reason = function(view, job, params) return why_not(view, view:units(of), job, params, words) end
  return policy
end

return matchmaking
