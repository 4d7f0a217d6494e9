// Policies that count GPUs for themselves, in Lua, job by job and from scratch: what those that ask view:units must say
// as well.
#pragma once

namespace unit_twin {

/// Jobs in order on their fastest kinds, then (param `packed`) beside the job with which they come to most. Param
/// `order`: "submit", "limit", "limit, running first", "served".
inline constexpr const char* kAllocation = R"lua(
local records, running, widowed = {}, {}, {}
local changed, moving, stopping, time, round_ends, last = false, false, false, 0, -math.huge, -math.huge
local chosen, kinds, given, woken = {}, nil, nil, nil
local sums, order_of, seen = {}, {}, 0

local function record(job)
  records[job.id] = records[job.id] or { id = job.id, submit = job.submit, served = 0 }
  records[job.id].job = job
  return records[job.id]
end

local function rank(r, now)
  if given.order == "submit" then return r.submit end
  if given.order == "served" then return (r.running and r.served + (now - r.start) * r.gpus or r.served) // 500 end
  if given.order == "limit, running first" and r.running then return -math.huge end
  return r.job.limit
end

local function before(a, b)
  if a.rank ~= b.rank then return a.rank < b.rank end
  if a.submit ~= b.submit then return a.submit < b.submit end
  return a.id < b.id
end

local function look_up(view, r)
  local asked = view:request(r.job)
  r.gpus, r.share, r.speed, r.prefers = asked.gpus * asked.nodes, asked.gpu_share, {}, {}
  for k, kind in ipairs(kinds) do
    local large = kind.nodes >= asked.nodes and kind.gpus >= asked.gpus
    r.speed[k] = large and view:speed(r.job, kind.name) or 0
    if r.speed[k] > 0 then
      local at = #r.prefers + 1
      while at > 1 and r.speed[r.prefers[at - 1]] < r.speed[k] do at = at - 1 end
      table.insert(r.prefers, at, k)
    end
  end
  r.anywhere = r.gpus == 0 or #r.prefers == 0
end

local function may_share(r) return r.gpus == 1 and r.share <= 0.5 and r.job.application ~= "" end

local function sum_beside(view, r, k, host)
  local app, other = r.job.application, host.job.application
  sums[app] = sums[app] or {}
  sums[app][k] = sums[app][k] or {}
  local known = sums[app][k]
  if not known[other] then
    local kind = kinds[k].name
    known[other] = r.speed[k] == 0 and 0 or view:speed(r.job, kind, host.job) / r.speed[k]
      + view:speed(host.job, kind, r.job) / host.speed[k]
  end
  return known[other]
end

local function plan(view)
  local left, all = {}, {}
  for k, kind in ipairs(kinds) do left[k] = kind.nodes * kind.gpus end
  for _, r in ipairs(running) do
    r.rank = rank(r, view.now)
    all[#all + 1] = r
  end
  for job in view:waiting() do
    local r = records[job.id]
    if not r.speed then look_up(view, r) end
    r.rank = rank(r, view.now)
    all[#all + 1] = r
  end
  table.sort(all, before)
  chosen = {}
  local hosts
  for _, r in ipairs(all) do
    local kind, host
    if r.anywhere then
      for k, gpus in ipairs(r.running and r.spread or {}) do
        if left[k] < gpus then return end
      end
      for k, gpus in ipairs(r.running and r.spread or {}) do left[k] = left[k] - gpus end
    elseif not hosts then
      for _, k in ipairs(r.prefers) do
        if left[k] >= r.gpus then kind = k break end
      end
      if kind then left[kind] = left[kind] - r.gpus end
    end
    if not kind and not r.anywhere then
      if not given.packed then return end
      if not hosts then
        hosts = {}
        for _, h in ipairs(chosen) do
          if h.to_kind and may_share(h) then
            hosts[#hosts + 1] = h
            local name = h.to_kind .. " " .. h.job.application
            if not order_of[name] then
              seen = seen + 1
              order_of[name] = seen
            end
          end
        end
      end
      local at, most, of
      for i, h in ipairs(may_share(r) and hosts or {}) do
        local sum, n = sum_beside(view, r, h.to_kind, h), order_of[h.to_kind .. " " .. h.job.application]
        if sum > 1.2 and (not most or sum > most or sum == most and n < of) then at, most, of = i, sum, n end
      end
      if not at then return end
      host = table.remove(hosts, at)
      kind = host.to_kind
    end
    r.given, r.to_kind, r.to_host = time, kind, host
    chosen[#chosen + 1] = r
  end
end

local function stop(view, list)
  stopping = true
  for _, r in ipairs(list) do
    r.stopped = time
    view:requeue(r.job, { checkpoint = true, restart = given.restart })
  end
  stopping = false
end

local function start_all(view)
  local blocked = false
  for _, r in ipairs(chosen) do
    if not r.running and not (blocked and r.stopped ~= time) then
      local where = r.to_host and { beside = r.to_host.job } or r.to_kind and { kind = kinds[r.to_kind].name, alone = true }
      if r.to_host and not r.to_host.running or not view:fits(r.job, where) then
        changed, blocked = true, true
      else
        view:start(r.job, where)
        r.kind, r.host, r.spread = r.to_kind, r.to_host, nil
        if r.host then r.host.guest = r end
        if r.anywhere and r.gpus > 0 then
          r.spread = {}
          for k, has in ipairs(view:placed(r.job)) do r.spread[k] = has.gpus end
        end
      end
    end
  end
  chosen = {}
end

local function is_time(view)
  local now = view.now
  if now < round_ends - 1e-6 then return false end
  local due = changed or given.order == "served" and view.waiting_count > 0
  local soonest = last + given.period
  if given.round > 0 and (#running > 0 or view.waiting_count > 0) then round_ends = now + given.round end
  if due and now >= soonest - 1e-6 then return true end
  if due and given.round == 0 then view:wake(soonest) end
  local list = {}
  for _, r in ipairs(widowed) do
    if r.running then list[#list + 1] = r end
  end
  widowed = {}
  stop(view, list)
  return false
end

local function pass(view)
  if moving then
    moving = false
    return start_all(view)
  end
  if not is_time(view) then return end
  changed, last, time, widowed = false, view.now, time + 1, {}
  plan(view)
  local leaving = {}
  for _, r in ipairs(running) do
    if r.gpus > 0 and not (r.given == time and r.kind == r.to_kind and r.host == r.to_host) then leaving[#leaving + 1] = r end
  end
  if #leaving == 0 then return start_all(view) end
  stop(view, leaving)
  moving = true
end

return {
  api = 1, name = "twin", version = "1", placement = "first",
  params = {
    order = { default = "submit", doc = "x" }, packed = { default = false, doc = "x" }, round = { default = 0, doc = "x" },
    period = { default = 0, doc = "x" }, restart = { default = 0, doc = "x" },
  },
  key = function(job, params)
    given = params
    return rank(record(job), job.submit)
  end,
  begin = function(view) kinds = view:kinds() end,
  submitted = function(_, job)
    record(job)
    changed = changed or not moving
  end,
  started = function(view, job)
    local r = record(job)
    r.running, r.start = true, view.now
    running[#running + 1] = r
  end,
  ended = function(view, job)
    local r = records[job.id]
    r.served, r.running = r.served + (view.now - r.start) * r.gpus, false
    for i, x in ipairs(running) do
      if x == r then table.remove(running, i) break end
    end
    local mate = r.host or r.guest
    if mate then
      mate.host, mate.guest, r.host, r.guest = nil, nil, nil, nil
      if not stopping then widowed[#widowed + 1] = mate end
    end
    if stopping then return end
    records[job.id], changed = nil, true
  end,
  schedule = function(view)
    pass(view)
    if #running == 0 and not moving and last == view.now then return end
    local now = view.now
    if given.round > 0 and round_ends > now and woken ~= round_ends then
      view:wake(round_ends)
      woken = round_ends
    elseif given.round == 0 and given.period > 0 and given.order == "served" and last == now and view.waiting_count > 0 then
      view:wake(now + given.period)
    end
  end,
}
)lua";

/// Divided GPUs: jobs alone while there are GPUs, then where the sum of speeds grows most.
inline constexpr const char* kSlices = R"lua(
local mig = require "mig"
local layouts = { [4] = mig.a30, [7] = mig.a100 }
local records, list, coming, used, lost, kinds = {}, {}, {}, {}, {}, nil
local ends, moving, stopping, leaving, again = 0, false, false, false, false

local function record(job)
  records[job.id] = records[job.id] or { submit = job.submit, refused = {} }
  records[job.id].job = job
  return records[job.id]
end

local function look_up(view, r)
  local asked = view:request(r.job)
  r.gpus, r.kinds, r.slices = asked.gpus * asked.nodes, {}, {}
  local whole = {}
  for _, kind in ipairs(kinds) do
    local speed = kind.nodes >= asked.nodes and kind.gpus >= asked.gpus and view:speed(r.job, kind.name) or 0
    if speed > 0 then
      whole[kind.name] = speed
      local at = #r.kinds + 1
      while at > 1 and whole[r.kinds[at - 1].name] < speed do at = at - 1 end
      table.insert(r.kinds, at, kind)
      for parts, s in ipairs(view:slice_speeds(r.job, kind.name)) do
        if s > 0 then
          r.slices[kind.name] = r.slices[kind.name] or {}
          r.slices[kind.name][parts] = s
        end
      end
    end
  end
end

local function sum_of(gpu)
  local sum = 0
  for _, r in ipairs(gpu.jobs) do sum = sum + r.slices[gpu.kind.name][r.slice] end
  return sum
end

local function take(all, x)
  for i, y in ipairs(all) do
    if x == y then return table.remove(all, i) end
  end
end

local function remove(r)
  local gpu = r.gpu
  take(gpu.jobs, r)
  r.gpu = nil
  if #gpu.jobs == 0 then
    take(list, gpu)
    used[gpu.kind.name] = used[gpu.kind.name] - 1
  else
    gpu.lost = true
    lost[#lost + 1] = gpu
  end
end

local function best(gpu, guest, keep)
  local mix, jobs = {}, table.copy(gpu.jobs)
  for i, r in ipairs(jobs) do
    local speeds = r.slices[gpu.kind.name]
    mix[i] = speeds
    if r.runs_in and keep then
      mix[i] = { [r.runs_in] = speeds[r.runs_in] }
    elseif r.runs_in then
      mix[i] = table.copy(speeds)
      mix[i][r.runs_in] = speeds[r.runs_in] + 1e-9
    end
  end
  if guest then mix[#mix + 1], jobs[#jobs + 1] = guest.slices[gpu.kind.name], guest end
  local found = mig.best(mix, layouts[gpu.kind.slices])
  if not found then return nil end
  found.sum = 0
  for i, r in ipairs(jobs) do found.sum = found.sum + r.slices[gpu.kind.name][found.slices[i]] end
  return found
end

local function divide(gpu, division, guest)
  for i, r in ipairs(gpu.jobs) do
    r.slice = division.slices[i]
    leaving = leaving or r.runs_in and r.runs_in ~= r.slice
  end
  if not guest then return end
  gpu.jobs[#gpu.jobs + 1], coming[#coming + 1] = guest, guest
  guest.gpu, guest.slice, gpu.lost = gpu, division.slices[#division.slices], false
end

local function hold(r, kind, gpus)
  r.holds = r.holds or {}
  r.holds[kind.name], used[kind.name] = gpus, used[kind.name] + gpus
end

local function alone(view, r)
  if r.gpus > 0 and #r.kinds > 0 then
    local free
    for _, kind in ipairs(r.kinds) do
      free = r.refused[kind] ~= view.now and kind.nodes * kind.gpus - used[kind.name] >= r.gpus and kind
      if free then break end
    end
    if not free then return false end
    r.kind = free
    if r.slices[free.name] then
      r.gpu, r.slice = { kind = free, jobs = { r } }, free.slices
      list[#list + 1], used[free.name] = r.gpu, used[free.name] + 1
    else
      hold(r, free, r.gpus)
    end
  elseif r.refused.any == view.now then
    return false
  end
  coming[#coming + 1] = r
  return true
end

local function plan(view, params)
  for job in view:waiting() do
    local r = records[job.id]
    if not r.kinds then look_up(view, r) end
    if not alone(view, r) then
      local chosen, division, most
      for _, gpu in ipairs(list) do
        local with = r.refused[gpu] ~= ends and r.slices[gpu.kind.name] and best(gpu, r, not params.move)
        local gain = with and with.sum - sum_of(gpu)
        if gain and gain > params.least and (not most or gain > most or gain == most and #gpu.jobs < #chosen.jobs) then
          chosen, division, most = gpu, with, gain
        end
      end
      if not chosen then break end
      divide(chosen, division, r)
    end
  end
  local over = {}
  for _, gpu in ipairs(lost) do
    if gpu.lost and #gpu.jobs > 0 then over[#over + 1] = gpu end
    gpu.lost = false
  end
  lost = {}
  for _, gpu in ipairs(over) do
    local division, sum = params.move and best(gpu), 0
    for i, r in ipairs(division and gpu.jobs or {}) do
      local speeds, new = r.slices[gpu.kind.name], division.slices[i]
      if new ~= r.slice then sum = sum + view:left(r.job) * (1 / speeds[r.slice] - 1 / speeds[new]) - params.restart end
    end
    if sum > 0 then divide(gpu, division) end
  end
end

local function release(r)
  for name, gpus in pairs(r.holds or {}) do used[name] = used[name] - gpus end
  r.holds = nil
end

local function place_of(r)
  if r.gpus == 0 then return nil end
  if not r.gpu then return { kind = r.kind and r.kind.name, alone = true } end
  for _, other in ipairs(r.gpu.jobs) do
    if other.runs_in then return { beside = other.job } end
  end
  return { kind = r.gpu.kind.name, alone = true }
end

local function start(view, r)
  local gpu, place = r.gpu, place_of(r)
  if gpu then view:set_slice(r.job, gpu.kind.name, r.slice) elseif r.sliced then view:set_slice(r.job) end
  r.sliced = gpu ~= nil
  if not view:fits(r.job, place) then
    if place and place.beside then r.refused[gpu] = ends else r.refused[r.kind or "any"] = view.now end
    if gpu then remove(r) end
    release(r)
    r.kind, again = nil, true
    return
  end
  view:start(r.job, place)
  if gpu then
    r.runs_in = r.slice
  elseif r.gpus > 0 and not r.kind then
    for i, has in ipairs(view:placed(r.job)) do
      if has.gpus > 0 then hold(r, kinds[i], has.gpus) end
    end
  end
end

local function start_coming(view)
  local all = coming
  coming = {}
  for _, r in ipairs(all) do start(view, r) end
end

local function carry_out(view, params)
  local stopped = {}
  for _, gpu in ipairs(leaving and list or {}) do
    for _, r in ipairs(gpu.jobs) do
      if r.runs_in and r.runs_in ~= r.slice then stopped[#stopped + 1] = r end
    end
  end
  leaving = false
  if #stopped == 0 then return start_coming(view) end
  stopping = true
  for _, r in ipairs(stopped) do
    r.runs_in = nil
    view:requeue(r.job, { checkpoint = true, restart = params.restart })
  end
  stopping, moving = false, true
  for _, r in ipairs(coming) do stopped[#stopped + 1] = r end
  coming = stopped
end

return {
  api = 1, name = "twin", version = "1", placement = "first",
  params = { move = { default = true, doc = "x" }, least = { default = 0, doc = "x" }, restart = { default = 0, doc = "x" } },
  key = function(job) return record(job).submit end,
  begin = function(view)
    kinds = view:kinds()
    for _, kind in ipairs(kinds) do used[kind.name] = 0 end
  end,
  ended = function(_, job)
    if stopping then return end
    local r = records[job.id]
    release(r)
    if r.gpu then remove(r) end
    ends, records[job.id] = ends + 1, nil
  end,
  schedule = function(view, params)
    if moving then
      moving = false
      start_coming(view)
    end
    repeat
      again = false
      plan(view, params)
      carry_out(view, params)
    until not again
  end,
}
)lua";

}  // namespace unit_twin
