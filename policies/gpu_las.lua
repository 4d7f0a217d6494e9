local gpus = require "gpu_allocation"

-- How often the GPU time that the job has had goes over a bound that grows by a factor each time. GPU time only grows, so that the
-- job keeps the bound that it has not gone over yet.
local function level(r, served, params)
  if params.first == 0 then return served end
  local bound = r.bound or params.first
  if served < bound then return r.level or 0 end
  local n = r.level or 0
  while served >= bound do n, bound = n + 1, bound * params.factor end
  r.level, r.bound = n, bound
  return n
end

---@type coslice.Policy
return gpus.policy({
  api = 1,
  name = "gpu_las",
  version = "1",
  description = "Least attained service (Gu et al. 2019, Tiresias): jobs that have had the least GPU time first, in levels; they "
    .. "stop those of higher levels, which go on later, each on the kind on which it is fastest, of those that are free.",
  params = {
    first = { default = 3600, min = 0, doc = "A job of so many GPU seconds is of the second level; 0: without levels." },
    factor = { default = 4, min = 1.01, doc = "So many times more takes it to the next one." },
    period = { default = 1800, min = 0, doc = "GPUs are not given anew before so much time has passed, s." },
  },
}, {
  always = true,
  order = function(r, now, params)
    return level(r, r.running and r.served + (now - r.start) * r.gpus or r.served, params)
  end,
})
