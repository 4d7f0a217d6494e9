-- Group formation in seven steps (Zeng 2009, Section 4.6), for policies: local groups = require "groups"
local groups = {}

--- A function of a run's parameters that makes its options once: those of another run are other ones.
local function once(make)
  local of, made
  return function(params)
    if of ~= params then of, made = params, make(params) end
    return made
  end
end

--- What candidates:tolerating and view:prospects are to be told.
groups.tolerance = once(function(params)
  return {
    max_slowdown = params.max_slowdown,
    total = params.max_slowdown_on == "total",
    exceed = params.matched_exceed,
    longer = params.matched_longer,
  }
end)

local tolerance = groups.tolerance

--- What view:fair and view:expect are to be told.
groups.fairness = once(function(params)
  return {
    slack = params.slack,
    expected = params.expected,
    predicted = params.predicted,
    members = params.fair_to_members,
  }
end)

-- Step 1: the jobs that tolerate the primary and are tolerated by it; with `must`, none without that job. It comes
-- first then.
local function preselect(primary, candidates, params, must)
  local fit = candidates:tolerating(primary, tolerance(params))
  if #fit == 0 or must and not fit:contains(must) then return nil end
  return must and fit:leading(must) or fit
end

--- Those of the candidates that could be the job's primary.
function groups.primaries_of(job, candidates, params) return candidates:bearing(job, tolerance(params)) end

-- Step 7: the first of them, as they stand, that can start and is fair to all jobs; one that is backfilled moves no
-- reservation of others, either. Else nil, and what they failed at.
local function first_acceptable(view, found, params, backfilled)
  return view:first_acceptable(found, groups.fairness(params), backfilled)
end

--- The group around a primary job that gains most and is fair, or nil. The candidates come in the order of step 2:
--- those that wait, first come first; those that run, least delayed first. With `must`, only groups with that job;
--- `backfilled`: only those that move no reservation. Without one the second value says why: "alone" (no candidate and
--- the primary bear each other), or what view:first_acceptable says.
function groups.form(view, primary, candidates, params, must, backfilled)
  local fit = preselect(primary, candidates, params, must) -- 1
  if not fit then return nil, "alone" end
  local blocks = fit:blocks(params.block_size, params.sort and "longest" or "given") -- 3
  local found = blocks[1]:windows(primary, params.matched_exceed) -- 4
  if must then found = found:with(must) end
  local best = found:best()
  if best and params.other_blocks then -- 5: the best one grows by jobs of the other blocks
    for i = 2, #blocks do
      local better = best:extended(blocks[i], params.matched_exceed)
      found = found:joined(better)
      best = better[#better] or best
    end
  end
  found = found:purified() -- 6: without those that contribute nothing
  if must then found = found:with(must) end
  return first_acceptable(view, found:by_gain(params.min_gain), params, backfilled) -- 7
end

local function pairs_with(primary, candidates, params, must)
  if must and must ~= primary then
    local fit = candidates:tolerating_one(primary, tolerance(params), must)
    return #fit > 0 and fit:pairs(primary) or nil
  end
  local fit = preselect(primary, candidates, params, must)
  if not fit then return nil end
  local found = fit:pairs(primary)
  return must and found:with(must) or found
end

--- Two jobs only: the pair that gains most.
function groups.best_pair(view, primary, candidates, params, must, backfilled)
  local found = pairs_with(primary, candidates, params, must)
  if not found then return nil, "alone" end
  return first_acceptable(view, found:by_gain(params.min_gain), params, backfilled)
end

local function first_that_gains(view, found, params, backfilled)
  return first_acceptable(view, found:gaining(params.min_gain), params, backfilled)
end

--- Two jobs only: the first pair that gains enough.
function groups.first_pair(view, primary, candidates, params, must, backfilled)
  local found = pairs_with(primary, candidates, params, must)
  if not found then return nil, "alone" end
  return first_that_gains(view, found, params, backfilled)
end

--- No heuristics: candidates as they come, as many as fit; the first such group that gains enough.
function groups.walk(view, primary, candidates, params, must, backfilled)
  local fit = preselect(primary, candidates, params, must)
  if not fit then return nil, "alone" end
  local found = fit:windows(primary, params.matched_exceed)
  return first_that_gains(view, must and found:with(must) or found, params, backfilled)
end

--- The best of all sets of the first candidates, if it gains enough and is fair: for few candidates, and as a
--- yardstick.
function groups.exhaustive(view, primary, candidates, params, must, backfilled)
  local fit = preselect(primary, candidates, params, must)
  if not fit then return nil, "alone" end
  local group = fit:blocks(params.block_size)[1]:best_of_all(primary, params.matched_exceed, nil, params.min_gain)
  if not group or must and not group:contains(must) then return nil, "gain" end
  if not view:can_start_group(group) then return nil, "nodes" end
  if backfilled and not view:fits_group(group) then return nil, "reservation" end
  if not view:fair(group, groups.fairness(params)) then return nil, "unfair" end
  return group
end

return groups
