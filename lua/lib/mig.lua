-- GPUs that are divided into slices (NVIDIA's multi-instance GPUs): which layout of slices serves a mix of jobs best.
-- local mig = require "mig"
local mig = {}

--- Layouts of an A100, as sizes of slices in sevenths of its processors (Li et al. 2022, "MISO"). Which slice is where
--- does not matter here.
mig.a100 = {
  { 7 }, { 4, 2, 1 }, { 4, 1, 1, 1 }, { 3, 3 }, { 3, 2, 1 }, { 3, 1, 1, 1 }, { 3, 2, 2 }, { 3, 2, 1, 1 },
  { 3, 1, 1, 1, 1 }, { 2, 2, 2, 1 }, { 2, 2, 1, 1, 1 }, { 2, 1, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1, 1, 1 },
}

--- The same of an A30, in quarters (NVIDIA's guide to multi-instance GPUs).
mig.a30 = { { 4 }, { 2, 2 }, { 2, 1, 1 }, { 1, 1, 1, 1 } }

--- All layouts of a GPU of so many parts of which no rule is known: any slices that have all of it, the largest first.
function mig.any(parts)
  local layouts, layout = {}, {}
  local function fill(left, most)
    if left == 0 then layouts[#layouts + 1] = { table.unpack(layout) } end
    for size = math.min(left, most), 1, -1 do
      layout[#layout + 1] = size
      fill(left - size, size)
      layout[#layout] = nil
    end
  end
  fill(parts, parts)
  return layouts
end

-- Sizes of a layout, each once, with how many there are; and how many ways there are to take some of them.
local function counted(layout)
  local sizes, counts, at, states = {}, {}, {}, 1
  for _, size in ipairs(layout) do
    if not at[size] then
      sizes[#sizes + 1], counts[#counts + 1] = size, 0
      at[size] = #sizes
    end
    counts[at[size]] = counts[at[size]] + 1
  end
  for _, count in ipairs(counts) do states = states * (count + 1) end
  return sizes, counts, states
end

-- The best assignment of the jobs to slices of one layout: job by job, for all numbers of slices of each size that are
-- taken by then. A state is these numbers, written as one.
local function assigned(jobs, layout)
  local sizes, counts, states = counted(layout)
  local before, choice = { [0] = 0 }, {}
  for i, speeds in ipairs(jobs) do
    local after, chosen = {}, {}
    for state = 0, states - 1 do
      local sum, unit = before[state], 1
      for k, size in ipairs(sizes) do
        local speed = sum and speeds[size]
        if speed and state // unit % (counts[k] + 1) < counts[k] then
          local to = state + unit
          if not after[to] or sum + speed > after[to] then after[to], chosen[to] = sum + speed, { size, state } end
        end
        unit = unit * (counts[k] + 1)
      end
    end
    before, choice[i] = after, chosen
  end
  local last
  for state = 0, states - 1 do
    if before[state] and (not last or before[state] > before[last]) then last = state end
  end
  if not last then return nil end
  local slices, state = {}, last
  for i = #jobs, 1, -1 do
    slices[i], state = choice[i][state][1], choice[i][state][2]
  end
  return before[last], slices
end

--- The layout and the slices that give the jobs the largest sum of speeds; nil where no layout has a slice for each.
--- `jobs[i][size]` is the speed of a job on a slice of that size, as a part of that on the whole GPU; nil: it does not
--- fit. Of equally good layouts it is the first. `layouts`: those of an A100 without it.
---
---     local best = mig.best { { [7] = 1, [4] = 0.9, [3] = 0.8 }, { [7] = 1, [3] = 0.6 } }
---     -- best.sum is 1.4, best.layout { 3, 3 }, best.slices { 3, 3 }
function mig.best(jobs, layouts)
  local best
  for _, layout in ipairs(layouts or mig.a100) do
    if #layout >= #jobs then
      local sum, slices = assigned(jobs, layout)
      if sum and (not best or sum > best.sum) then best = { sum = sum, layout = layout, slices = slices } end
    end
  end
  return best
end

return mig
