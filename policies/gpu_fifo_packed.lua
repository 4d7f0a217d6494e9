-- First come, first served, and what waits then joins running jobs on their GPUs (Narayanan et al. 2020, Section 3.2).
local gpus = require "gpu_allocation"

local function why(sum, host, taken)
  return ("both keep %.2f of their speeds, added up, beside job %d%s"):format(
    sum, host.id, taken and (", %.2f beside one that another job joins"):format(taken) or "")
end

---@type coslice.Policy
return gpus.policy({
  api = 1,
  name = "gpu_fifo_packed",
  version = "1",
  description = "First come, first served on GPUs of several kinds; then each waiting job in order joins the job, "
    .. "alone on its GPU, with which it comes to the largest sum of normalized speeds (Narayanan et al. 2020). No job "
    .. "passes another.",
  params = {
    least = { default = 1.5, min = 0,
      doc = "Two jobs share a GPU if their speeds there, over those alone, add up to more." },
  },
}, {
  unplaced = "no GPU was left for itself, and beside no job were both to keep enough of their speeds (least)",
  allocate = function(units, _, params)
    local job = units:give_fastest()
    while job do
      local host, sum, taken = units:best_host(job)
      if not host or sum <= params.least then return end -- no job overtakes another one
      units:give_beside(job, host, why, sum, host, taken)
      job = units:next()
    end
  end,
})
