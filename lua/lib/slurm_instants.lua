-- When two instants of Slurm's cycles are the same.
local instants = {}

--- Instants are whole nanoseconds, and sums of seconds may miss them by less. Late in a long trace (from half a year
--- on), a number of seconds is no longer known to a nanosecond: then it is by the last digits that it has.
---@param now number s
---@return number s
function instants.tolerance(now) return math.max(1e-9, math.abs(now) * 4e-16) end

return instants
