-- GPUs that are divided into slices by what the jobs on them need, after MISO (Li et al. 2022): the division of a GPU is that with
-- the largest sum of its jobs' speeds, and is found anew when a job comes to it or has ended there.
local divided = require "divided_gpus"

-- The GPU on which the sum of speeds grows most with the job, and its division then; of equals the one with the fewest jobs.
local function best_gpu(gpus, r, params)
  local chosen, division, most
  for _, gpu in ipairs(gpus.list) do
    local with = not gpus:refused(gpu, r) and gpus:best(gpu, r, not params.move)
    local gain = with and with.sum - gpu.sum
    if gain and gain > params.least and (not most or gain > most or gain == most and #gpu.jobs < #chosen.jobs) then
      chosen, division, most = gpu, with, gain
    end
  end
  return chosen, division
end

-- Each waiting job in order: on GPUs of its own while there are any, then beside others. No job passes another one.
local function place_waiting(gpus, view, params)
  if view.waiting_count == 0 then return end
  for r in gpus:waiting(view) do
    if not gpus:alone(r) then
      local gpu, division = best_gpu(gpus, r, params)
      if not gpu then return end
      r.why = ("in slices of %s parts the jobs there do the work of %.2f GPUs, without it that of %.2f"):format(
        table.concat(division.slices, ", "), division.sum, gpu.sum)
      gpus:divide(gpu, division, r)
    end
  end
end

-- Seconds that jobs would be done earlier in other slices, less what it costs to stop them.
local function saved(view, gpu, division, params)
  local sum = 0
  for i, r in ipairs(gpu.jobs) do
    local speeds, new = r.slices[gpu.kind.name], division.slices[i]
    if new ~= r.slice then sum = sum + view:left(r.job) * (1 / speeds[r.slice] - 1 / speeds[new]) - params.restart end
  end
  return sum
end

-- What a job leaves over goes to those that were beside it, where that pays.
local function grow(gpus, view, params)
  for _, gpu in ipairs(gpus:left_over()) do
    local division = params.move and gpus:best(gpu)
    if division and saved(view, gpu, division, params) > 0 then gpus:divide(gpu, division) end
  end
end

---@type coslice.Policy
return divided.policy({
  api = 1,
  name = "gpu_mig",
  version = "1",
  description = "First come, first served on GPUs that are divided into slices: each job has a GPU of its own while there are any, "
    .. "then joins others where their speeds grow most; the division of a GPU is the best one for its jobs, which stop and go on "
    .. "where their slices change (after MISO, Li et al. 2022).",
  params = {
    move = { default = true, doc = "Running jobs stop and go on where their slices change; without it they keep their slices." },
    least = { default = 0, min = 0, doc = "A job joins others on a GPU if the sum of their speeds grows by more." },
  },
}, function(gpus, view, params)
  place_waiting(gpus, view, params)
  grow(gpus, view, params)
end)
