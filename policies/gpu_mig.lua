-- GPUs that are divided into slices by what the jobs on them need, after MISO (Li et al. 2022): the division of a GPU
-- is that with the largest sum of its jobs' speeds, and is found anew when a job comes to it or has ended there.
local divided = require "divided_gpus"

local function why(slices, sum, before)
  return ("in slices of %s parts the jobs there do the work of %.2f GPUs, without it that of %.2f"):format(
    table.concat(slices, ", "), sum, before)
end

-- Each waiting job in order: on GPUs of its own while there are any, then where the sum of speeds grows most. No job
-- passes another.
local function place_waiting(units, params)
  local job, keep = units:give_free(), not params.move
  while job do
    local gpu, gain = units:best_gpu(job, divided.best, keep)
    if not gpu or gain <= params.least then return end
    units:divide(gpu, divided.best, job, keep, why)
    job = units:give_free(job)
  end
end

-- What a job leaves over goes to those that were beside it, where that is of use.
local function grow(units, params)
  for gpu in units.next_left_over, units do
    if params.move and units:saved(gpu, divided.best, params.restart) > 0 then units:divide(gpu, divided.best) end
  end
end

---@type coslice.Policy
return divided.policy({
  api = 1,
  name = "gpu_mig",
  version = "2",
  description = "First come, first served on GPUs that are divided into slices: each job has a GPU of its own while "
    .. "there are any, then joins others where their speeds grow most; the division of a GPU is the best one for its "
    .. "jobs, which stop and go on where their slices change (after MISO, Li et al. 2022). No job passes another.",
  params = {
    move = { default = true, doc = "Running jobs stop and go on where their slices change; without it they keep their "
      .. "slices." },
    least = { default = 0, min = 0, doc = "A job joins others on a GPU if the sum of their speeds grows by more." },
  },
}, function(units, view, params)
  if view.waiting_count > 0 then place_waiting(units, params) end
  grow(units, params)
end)
