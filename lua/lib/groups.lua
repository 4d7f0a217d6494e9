-- Group formation in seven steps (Zeng 2009, Section 4.6), for policies: local groups = require "groups"
local groups = {}

local function tolerance(params)
  return {
    max_slowdown = params.max_slowdown,
    total = params.max_slowdown_on == "total",
    exceed = params.matched_exceed,
    longer = params.matched_longer,
  }
end

local function fairness(params)
  return {
    slack = params.slack,
    expected = params.expected,
    predicted = params.predicted,
    members = params.fair_to_members,
  }
end

--- Whether the group gains enough, could start, and is fair to everybody.
function groups.acceptable(view, group, params)
  return group.gain >= params.min_gain and view:can_start_group(group) and view:fair(group, fairness(params))
end

-- Steps 4 and 5: the windows of the first block; the best of them grows by jobs of the other blocks.
local function search(primary, blocks, must, params)
  local found, best = {}, nil
  for _, group in ipairs(blocks[1]:windows(primary, params.matched_exceed)) do
    if not must or group:contains(must) then
      found[#found + 1] = group
      if not best or group.gain > best.gain then best = group end
    end
  end
  if best and params.other_blocks then
    for i = 2, #blocks do
      for _, better in ipairs(best:extended(blocks[i], params.matched_exceed)) do
        found[#found + 1] = better
        best = better
      end
    end
  end
  return found
end

--- The group around a primary job that gains most and is fair, or nil. The candidates come in the order of step 2: who
--- waits, first come first; who runs, least delayed first. With `must`, only groups with that job.
function groups.form(view, primary, candidates, params, must)
  local fit = candidates:tolerating(primary, tolerance(params)) -- 1: who tolerates whom
  if #fit == 0 or must and not fit:contains(must) then return nil end
  if must then fit = fit:leading(must) end
  local blocks = fit:blocks(params.block_size, params.sort and "longest" or "given") -- 3
  local found = search(primary, blocks, must, params) -- 4, 5
  for i, group in ipairs(found) do -- 6: without those that contribute nothing
    found[i] = group:purified()
  end
  table.sort(found, function(a, b) return a.gain > b.gain end)
  for _, group in ipairs(found) do -- 7: enough gain, room now, and fair
    if group.gain < params.min_gain then return nil end
    if (not must or group:contains(must)) and groups.acceptable(view, group, params) then return group end
  end
  return nil
end

--- Two jobs only: the best pair, or with `first` the first one that gains enough.
function groups.pair(view, primary, candidates, params, must, first)
  local fit = candidates:tolerating(primary, tolerance(params))
  local found = {}
  for _, alone in ipairs(fit:blocks(1)) do
    local group = alone:group(primary)
    if not must or group:contains(must) then found[#found + 1] = group end
  end
  if not first then table.sort(found, function(a, b) return a.gain > b.gain end) end
  for _, group in ipairs(found) do
    if groups.acceptable(view, group, params) then return group end
  end
  return nil
end

--- No heuristics: candidates as they come, as many as fit; the first such group that gains enough.
function groups.walk(view, primary, candidates, params, must)
  local fit = candidates:tolerating(primary, tolerance(params))
  if must and fit:contains(must) then fit = fit:leading(must) end
  for _, group in ipairs(fit:windows(primary, params.matched_exceed)) do
    if (not must or group:contains(must)) and groups.acceptable(view, group, params) then return group end
  end
  return nil
end

--- All sets of candidates: the best of them if it is acceptable. For few candidates, and as a yardstick.
function groups.exhaustive(view, primary, candidates, params, must)
  local fit = candidates:tolerating(primary, tolerance(params))
  if must and not fit:contains(must) then return nil end
  if must then fit = fit:leading(must) end
  local blocks = fit:blocks(params.block_size)
  if #blocks == 0 then return nil end
  local group = blocks[1]:best_of_all(primary, params.matched_exceed)
  if group and (not must or group:contains(must)) and groups.acceptable(view, group, params) then return group end
  return nil
end

return groups
