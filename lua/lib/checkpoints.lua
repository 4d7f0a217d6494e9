-- How often to write checkpoints, for policies and workloads: local checkpoints = require "checkpoints"
local checkpoints = {}

--- The work between two checkpoints that wastes least (Daly 2006, Eq. 37).
---@param cost number Time that writing one takes, s, above 0.
---@param mtbf number Mean time between failures of all nodes of the job together, s, above 0: that of one
---node divided by their number.
---@return number seconds
function checkpoints.daly(cost, mtbf)
  if not (cost > 0 and mtbf > 0) then error("daly(cost, mtbf) needs two numbers above 0", 2) end
  if cost >= 2 * mtbf then return mtbf end
  local half = cost / (2 * mtbf)
  return math.sqrt(2 * cost * mtbf) * (1 + math.sqrt(half) / 3 + half / 9) - cost
end

return checkpoints
