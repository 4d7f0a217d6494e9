-- First come, first served, and what waits then joins running jobs on their GPUs (Narayanan et al. 2020, Section 3.2).
local gpus = require "gpu_allocation"

local sums = {} -- of normalized speeds: by application of the waiting job, then by group of hosts
local ranking = {} -- by application: the groups that are worth it, the best first
local seen, number = {}, 0 -- groups of hosts: an application on a kind

local function may_share(r) return r.gpus == 1 and r.share <= 0.5 and r.application ~= "" end

-- Speeds beside one another over those alone, added up.
local function gain(g, view, r, host)
  local kind = g.kinds[host.to_kind].name
  if r.speed[host.to_kind] == 0 then return 0 end
  return view:speed(r.job, kind, host.job) / r.speed[host.to_kind]
    + view:speed(host.job, kind, r.job) / host.speed[host.to_kind]
end

-- The hosts that jobs may join, by group, in the order in which they got their GPUs.
local function groups_of(hosts)
  local groups = {}
  for _, host in ipairs(hosts) do
    if host.to_kind and may_share(host) then
      local key = host.to_kind .. " " .. host.application
      local group = groups[key]
      if not group then
        group = { first = 1 }
        groups[key] = group
        if not seen[key] then
          number = number + 1
          seen[key] = number
        end
      end
      group[#group + 1] = host
    end
  end
  return groups
end

-- The groups by what the job and one of them come to, as far as such pairs were seen.
local function ranked(g, view, r, groups, least)
  local known = sums[r.application] or {}
  local fresh = false
  for key, group in pairs(groups) do
    if not known[key] then known[key], fresh = gain(g, view, r, group[1]), true end
  end
  sums[r.application] = known
  if not fresh and ranking[r.application] then return ranking[r.application] end
  local list = {}
  for key, sum in pairs(known) do
    if sum > least then list[#list + 1] = key end
  end
  table.sort(list, function(a, b)
    if known[a] ~= known[b] then return known[a] > known[b] end
    return seen[a] < seen[b]
  end)
  ranking[r.application] = list
  return list
end

local function best_host(g, view, r, groups, least)
  if not may_share(r) then return nil end
  for _, key in ipairs(ranked(g, view, r, groups, least)) do
    local group = groups[key]
    local host = group and group[group.first]
    if host then
      group.first = group.first + 1
      return host
    end
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
  allocate = function(g, view, params)
    local groups
    for r in g:in_order(view) do
      local anywhere = r.gpus == 0 or r.spread
      local kind = not anywhere and not groups and g:fastest(r) or nil
      if kind or anywhere then
        g:give(r, kind)
      else
        groups = groups or groups_of(g.chosen)
        local host = best_host(g, view, r, groups, params.least)
        if not host then return end -- no job overtakes another one
        g:give(r, host.to_kind, host)
      end
    end
  end,
})
