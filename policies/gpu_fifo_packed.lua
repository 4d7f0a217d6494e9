-- First come, first served, and what waits then joins running jobs on their GPUs (Narayanan et al. 2020, Section 3.2).
local gpus = require "gpu_allocation"

local groups_seen, numbers = 0, {} -- groups of hosts, by kind and application, in the order in which they were seen
local sums, counts = {}, {} -- of normalized speeds: by application of the waiting job, then by group; how many are known
local ranking = {} -- by application: the groups that are worth it, the best first

local function may_share(r)
  if r.may_share == nil then r.may_share = r.gpus == 1 and r.share <= 0.5 and r.application ~= "" end
  return r.may_share
end

-- Speeds beside one another over those alone, added up.
local function gain(g, view, r, host)
  local kind = g.kinds[host.to_kind].name
  if r.speed[host.to_kind] == 0 then return 0 end
  return view:speed(r.job, kind, host.job) / r.speed[host.to_kind]
    + view:speed(host.job, kind, r.job) / host.speed[host.to_kind]
end

local function number_of(kind, application)
  local of_kind = numbers[kind] or {}
  numbers[kind] = of_kind
  if not of_kind[application] then
    groups_seen = groups_seen + 1
    of_kind[application] = groups_seen
  end
  return of_kind[application]
end

-- The hosts that jobs may join, by number of the group, in the order in which they got their GPUs; and these numbers.
local function groups_of(hosts)
  local groups, present = {}, {}
  for _, host in ipairs(hosts) do
    if host.to_kind and may_share(host) then
      local n = host.group_kind == host.to_kind and host.group or number_of(host.to_kind, host.application)
      host.group, host.group_kind = n, host.to_kind
      local group = groups[n]
      if not group then
        group = { first = 1 }
        groups[n], present[#present + 1] = group, n
      end
      group[#group + 1] = host
    end
  end
  groups.present = present
  return groups
end

-- The groups by what the job and one of them come to, as far as such pairs were seen.
local function ranked(g, view, r, groups, least)
  local application = r.application
  local known = sums[application] or {}
  local fresh = not ranking[application]
  if counts[application] ~= groups_seen then
    for _, n in ipairs(groups.present) do
      if not known[n] then
        known[n], fresh = gain(g, view, r, groups[n][1]), true
        counts[application] = (counts[application] or 0) + 1
      end
    end
  end
  if not fresh then return ranking[application] end
  local list = {}
  for n = 1, groups_seen do
    if known[n] and known[n] > least then list[#list + 1] = n end
  end
  table.sort(list, function(a, b)
    if known[a] ~= known[b] then return known[a] > known[b] end
    return a < b
  end)
  sums[application], ranking[application] = known, list
  return list
end

-- The host that the job is to join; and why.
local function best_host(g, view, r, groups, least)
  if not may_share(r) then return nil end
  local taken
  for _, n in ipairs(ranked(g, view, r, groups, least)) do
    local group = groups[n]
    local host = group and group[group.first]
    if host then
      group.first = group.first + 1
      return host, ("both keep %.2f of their speeds, added up, beside job %d%s"):format(
        sums[r.application][n], host.id, taken and (", %.2f beside one that another job joins"):format(taken) or "")
    end
    taken = taken or group and sums[r.application][n]
  end
end

---@type coslice.Policy
return gpus.policy({
  api = 1,
  name = "gpu_fifo_packed",
  version = "1",
  description = "First come, first served on GPUs of several kinds; then each waiting job in order joins the job, alone on its "
    .. "GPU, with which it comes to the largest sum of normalized speeds (Narayanan et al. 2020).",
  params = {
    least = { default = 1.5, min = 0, doc = "Two jobs share a GPU if their speeds there, over those alone, add up to more." },
  },
}, {
  order = function(r) return r.submit end,
  fixed = true,
  allocate = function(g, view, params)
    local groups
    for r in g:in_order(view) do
      local kind = not r.anywhere and not groups and g:fastest(r) or nil
      if kind or r.anywhere then
        if not g:give(r, kind) then return end
      else
        groups = groups or groups_of(g:given())
        local host, why = best_host(g, view, r, groups, params.least)
        if not host then return end -- no job overtakes another one
        g:give(r, host.to_kind, host)
        r.why = why
      end
    end
  end,
})
