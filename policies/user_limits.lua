-- Whose jobs count together, and what counts of them.
local owners = { user = "max_", group = "group_max_" }
local amounts = { "nodes", "jobs", "gpus" }

local held = {}   -- by view, as under time slices the limit is one in each class of jobs; then by field and owner
local limits = {} -- those that are set

local function asks(job, amount) return amount == "jobs" and 1 or job[amount] end

local function count(job, sign)
  for field, of in pairs(held[job.view]) do
    local has = of[job[field]] or { nodes = 0, jobs = 0, gpus = 0 }
    of[job[field]] = has
    for _, amount in ipairs(amounts) do has[amount] = has[amount] + sign * asks(job, amount) end
  end
end

-- The limit that keeps the job from starting, how much it lets its owner have, and what that has; none keeps the only
-- job of its owner.
local function limiting(job)
  local of = held[job.view]
  for _, limit in ipairs(limits) do
    local owner = job[limit.field]
    local has = owner >= 0 and of[limit.field][owner]
    if has and has.jobs > 0 then
      local more, most = asks(job, limit.amount), limit.quotas and limit.quotas[owner] or limit.most
      if most > 0 and more > 0 and has[limit.amount] + more > most then return limit, most, has[limit.amount] end
    end
  end
end

-- GPUs by number of the group; nil: none. What is no such list is a second result.
local function read_quotas(text)
  local quotas
  for entry in string.gmatch(string.gsub(text, "%s*=%s*", "="), "[^,%s]+") do
    local group, gpus = string.match(entry, "^(%d+)=(%d+)$")
    group, gpus = math.tointeger(tonumber(group)), math.tointeger(tonumber(gpus))
    quotas = quotas or {}
    if not group or not gpus or quotas[group] then return nil, entry end
    quotas[group] = gpus
  end
  return quotas, not quotas and string.find(text, "%S") and text or nil
end

-- For `check`: what is expected of such a list; nil: the text is one.
local function check_quotas(text)
  local _, wrong = read_quotas(text)
  if wrong then return ("groups, each once, and their GPUs, as 1=8, 4=16; '%s' is none"):format(wrong) end
end

local function parameter(default, doc) return { default = default, min = 0, integer = true, doc = doc } end

---@type coslice.Policy
return {
  api = 1,
  name = "user_limits",
  version = "1",
  description = "EASY backfilling with limits of what the running jobs of a user, or of a group (the account of a "
    .. "dump of sacct), may have: nodes, GPUs, a number. Jobs above a limit are passed over; one that alone is larger "
    .. "runs when its owner runs nothing else. Unknown owners are not limited.",
  params = {
    max_nodes = parameter(32, "Nodes that a user may hold at a time; 0: any number."),
    max_jobs = parameter(0, "Jobs that a user may run at a time; 0: any number."),
    max_gpus = parameter(0, "GPUs that a user may hold at a time; 0: any number."),
    group_max_nodes = parameter(0, "Nodes that a group may hold at a time; 0: any number."),
    group_max_jobs = parameter(0, "Jobs that a group may run at a time; 0: any number."),
    group_max_gpus = parameter(0, "GPUs that a group may hold at a time; 0: any number."),
    gpu_quotas = { default = "", check = check_quotas,
      doc = "GPUs that single groups may hold, in place of group_max_gpus, by their numbers: `1=8, 4=16`." },
  },

  begin = function(view, params)
    held[view], limits = { user = {}, group = {} }, {}
    for field, prefix in pairs(owners) do
      for _, amount in ipairs(amounts) do
        local most = params[prefix .. amount]
        local quotas = field == "group" and amount == "gpus" and (read_quotas(params.gpu_quotas)) or nil
        if most > 0 or quotas then
          table.insert(limits, { field = field, amount = amount, most = most, quotas = quotas })
        end
      end
    end
  end,
  started = function(_, job) count(job, 1) end,
  ended = function(_, job) count(job, -1) end,

  may_start = function(job) return limiting(job) == nil end,
  reason = function(_, job)
    local limit, most, has = limiting(job)
    if not limit then return nil end
    local of, amount = limit.field, limit.amount
    return ("limit of %s %d: %d %s at a time, its jobs have %g, and this one asks for %g"):format(
      of, job[of], most, amount == "gpus" and "GPUs" or amount, has, asks(job, amount))
  end,
  backfill = "easy",
  claims = { "never-idle" },
}
