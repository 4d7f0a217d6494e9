-- Partitions that are stopped in a run of Slurm's main scheduler: their first job that cannot start keeps the ones
-- behind it waiting, and jobs of other partitions off the nodes that both have.
--
--   local stopped = require("slurm_stopped").new(overlaps)
--   stopped:stop(job)             -- jobs of its partition wait, and its nodes are closed
--   stopped:stop_reservation(job) -- only jobs of its reservation wait, if it has one
--   stopped:waits_in_reservation(job)
--   stopped:skip(partition)       -- its jobs wait, and no nodes are closed
--   stopped[partition]            -- whether its jobs wait
--   stopped.heads[partition]      -- the number of the job that stopped it; nil: none did
--   stopped:place(job)            -- where it may start: as for view:fits; nil: on all nodes of its partition
local Stopped = {}
Stopped.__index = Stopped

--- By number of a partition: the numbers of those that have nodes in common with it, itself included. `partitions` by
--- number, with `name` and `Overlaps`: names of others that have nodes in common with it.
---@param partitions table<integer, table>
---@return table<integer, table<integer, boolean>>
function Stopped.overlaps(partitions)
  local numbers, found = {}, {}
  for number, entry in pairs(partitions) do
    if entry.name then numbers[entry.name] = number end
  end
  for number, entry in pairs(partitions) do
    found[number] = { [number] = true }
    for name in string.gmatch(entry.Overlaps or "", "[^,%s]+") do
      if numbers[name] then found[number][numbers[name]] = true end
    end
  end
  return found
end

--- For one run.
---@param overlaps table<integer, table<integer, boolean>>
function Stopped.new(overlaps) return setmetatable({ overlaps = overlaps, closing = {}, places = {},
  reservations = {}, heads = {} }, Stopped) end

function Stopped:skip(partition) self[partition] = true end

function Stopped:stop(job)
  self[job.partition] = true
  self.heads[job.partition] = self.heads[job.partition] or job.id
  table.insert(self.closing, job)
  self.places = {}
end

function Stopped:stop_reservation(job)
  if job.reservation ~= "" then self.reservations[job.reservation] = true end
end
function Stopped:waits_in_reservation(job) return self.reservations[job.reservation] == true end

--- Only partitions with common nodes count, so that most jobs go where they would have gone anyway.
function Stopped:place(job)
  local others = self.overlaps[job.partition]
  if #self.closing == 0 or not others then return nil end
  local known = self.places[job.partition]
  if known == nil then
    local outside = {}
    for _, stopping in ipairs(self.closing) do
      if others[stopping.partition] then table.insert(outside, stopping) end
    end
    known = #outside > 0 and { outside = outside }
    self.places[job.partition] = known
  end
  return known or nil
end

return Stopped
