-- The factors, each between 0 and 1:
--   age:        wait / max_age, at most 1
--   size:       nodes / nodes of the machine
--   shortness:  1 - estimate / max_estimate, at least 0
--   fair share: 2^-(U / S), U: the user's part of the decayed usage, S: its share, 1 / number of users
local capacity
local day, ln2 = 86400, math.log(2)
local min, max = math.min, math.max

local function fair_share(used, total, users)
  return total > 0 and math.exp(-ln2 * users * used / total) or 1.0
end

---@type coslice.Policy
return {
  api = 1,
  name = "multifactor",
  version = "1",
  description = "Multifactor priority after Slurm's classic plugin: a weighted sum of age, size, shortness and fair "
    .. "share (equal shares for all users seen so far), highest first. A negative weight turns its factor round.",
  params = {
    age_weight = { default = 1000, min = -1e9, max = 1e9, doc = "Of the time in the queue." },
    size_weight = { default = 0, min = -1e9, max = 1e9, doc = "Of the part of the machine asked for." },
    shortness_weight = { default = 0, min = -1e9, max = 1e9, doc = "Of a short estimate." },
    fairshare_weight = { default = 1000, min = -1e9, max = 1e9, doc = "Of low usage in the past." },
    max_age = { default = 7.0, min = 0.001, max = 3650, doc = "Days of waiting after which age counts fully." },
    max_estimate = { default = 24.0, min = 0.001, max = 87600,
      doc = "Hours of estimate from which on shortness is 0." },
    half_life = { default = 7.0, min = 0, max = 3650,
      doc = "Days in which usage loses half its weight; 0: it never does." },
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },

  begin = function(view) capacity = view.capacity end,

  share = function(params) return { by = "user", half_life = params.half_life * day, of = fair_share } end,
  descending = true,
  factors = function(view, job, params, share)
    return {
      { "age", params.age_weight * min((view.now - job.submit) / (params.max_age * day), 1.0) },
      { "size", params.size_weight * job.nodes / capacity },
      { "shortness", params.shortness_weight * max(1 - job.estimate / (params.max_estimate * 3600), 0.0) },
      { "fair share", params.fairshare_weight * share },
    }
  end,
  dynamic_key = function(job, now, params, share)
    return params.age_weight * min((now - job.submit) / (params.max_age * day), 1.0)
      + params.size_weight * job.nodes / capacity
      + params.shortness_weight * max(1 - job.estimate / (params.max_estimate * 3600), 0.0)
      + params.fairshare_weight * share
  end,
}
