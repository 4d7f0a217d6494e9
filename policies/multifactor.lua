-- The factors, each between 0 and 1:
--   age:        wait / max_age, at most 1
--   size:       nodes / nodes of the machine
--   shortness:  1 - estimate / max_estimate, at least 0
--   fair share: 2^-(U / S), U: the user's part of the decayed usage, S: its share, 1 / number of users
local Usage = require("usage")
local capacity
local states = {} -- by view: under time slices each class of jobs has a clock of its own
local day, ln2 = 86400, math.log(2)
local min, max = math.min, math.max

-- The factors of an instant are kept: users have many jobs waiting.
local function fair_share(state, user, now)
  if state.shares.at ~= now then state.shares = { at = now } end
  local share = state.shares[user]
  if not share then
    local total = state.usage:total(now)
    share = total > 0 and math.exp(-ln2 * state.users * state.usage:of(user, now) / total) or 1
    state.shares[user] = share
  end
  return share
end

---@type coslice.Policy
return {
  api = 1,
  name = "multifactor",
  version = "1",
  description = "Multifactor priority after Slurm's classic plugin: a weighted sum of age, size, shortness and fair share "
    .. "(equal shares for all users seen so far), highest first. A negative weight turns its factor round.",
  params = {
    age_weight = { default = 1000, min = -1e9, max = 1e9, doc = "Of the time in the queue." },
    size_weight = { default = 0, min = -1e9, max = 1e9, doc = "Of the part of the machine asked for." },
    shortness_weight = { default = 0, min = -1e9, max = 1e9, doc = "Of a short estimate." },
    fairshare_weight = { default = 1000, min = -1e9, max = 1e9, doc = "Of low usage in the past." },
    max_age = { default = 7.0, min = 0.001, max = 3650, doc = "Days of waiting after which age counts fully." },
    max_estimate = { default = 24.0, min = 0.001, max = 87600, doc = "Hours of estimate from which on shortness is 0." },
    half_life = { default = 7.0, min = 0, max = 3650, doc = "Days in which usage loses half its weight; 0: it never does." },
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },

  begin = function(view, params)
    states[view] = { usage = Usage.new(params.half_life * day), users = 0, known = {}, shares = { at = -1 } }
    capacity = view.capacity
  end,
  submitted = function(view, job)
    local state = states[view]
    if not state.known[job.user] then
      state.known[job.user] = true
      state.users = state.users + 1
    end
  end,
  started = function(view, job) states[view].usage:start(job.user, job.nodes, view.now) end,
  ended = function(view, job) states[view].usage:stop(job.user, job.nodes, view.now) end,

  share = { by = "user", of = function(user, now, _, view) return fair_share(states[view], user, now) end },
  descending = true,
  dynamic_key = function(job, now, params, share)
    return params.age_weight * min((now - job.submit) / (params.max_age * day), 1.0)
      + params.size_weight * job.nodes / capacity
      + params.shortness_weight * max(1 - job.estimate / (params.max_estimate * 3600), 0.0)
      + params.fairshare_weight * share
  end,
}
