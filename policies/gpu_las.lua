local gpus = require "gpu_allocation"

-- How often the GPU time that the job has had goes over a bound that grows by a factor each time.
local function level(served, params)
  if params.first == 0 then return served end
  local n, bound = 0, params.first
  while served >= bound do n, bound = n + 1, bound * params.factor end
  return n
end

---@type coslice.Policy
return gpus.policy({
  api = 1,
  name = "gpu_las",
  version = "1",
  description = "Least attained service (Gu et al. 2019, Tiresias): jobs that have had the least GPU time first, in "
    .. "levels; they stop those of higher levels, which go on later, each on the kind on which it is fastest, of those "
    .. "that are free.",
  params = {
    first = { default = 3600, min = 0,
      doc = "A job of so many GPU seconds is of the second level; 0: without levels." },
    factor = { default = 4, min = 1.01, doc = "So many times more takes it to the next one." },
    period = { default = 1800, min = 0, doc = "GPUs are not given anew before so much time has passed, s." },
  },
}, {
  always = true,
  order = function() return 0 end,
  rank = function(_, served, params) return level(served, params) end,
})
