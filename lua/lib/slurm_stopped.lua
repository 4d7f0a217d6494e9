-- Partitions that are stopped in a run of Slurm's main scheduler: their first job that cannot start keeps the ones
-- behind it waiting, and jobs of other partitions off the nodes that both have.
--
--   local stopped = require("slurm_stopped").new(overlaps)
--   stopped:stop(job, name)       -- jobs of its partition wait, and its nodes are closed
--   stopped:stop_reservation(job) -- only jobs of its reservation wait, if it has one
--   stopped:waits_in_reservation(job)
--   stopped:skip(partition)       -- its jobs wait, and no nodes are closed
--   stopped[partition]            -- whether its jobs wait
--   stopped.heads[partition]      -- the number of the job that stopped it; nil: none did
--   stopped:place(job, name)      -- where it may start: as for view:fits; nil: on all nodes of its partition
local Partitions = require "slurm_partitions"

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

--- `name` of the partition in which it waits, of a job of several.
---@param name? string
function Stopped:stop(job, name)
  local partition = Partitions.of(job)
  self[partition] = true
  self.heads[partition] = self.heads[partition] or job.id
  table.insert(self.closing, { partition = partition, what = name or job })
  self.places = {}
end

function Stopped:stop_reservation(job)
  if job.reservation ~= "" then self.reservations[job.reservation] = true end
end
function Stopped:waits_in_reservation(job) return self.reservations[job.reservation] == true end

--- Only partitions with common nodes count, so that most jobs go where they would have gone anyway. `name`: the job is
--- to start in that one of its partitions.
---@param name? string
function Stopped:place(job, name)
  local partition = Partitions.of(job)
  local others = self.overlaps[partition]
  if #self.closing == 0 or not others then return name and { partition = name } end
  local key = name or partition
  local known = self.places[key]
  if known == nil then
    local outside = {}
    for _, stopping in ipairs(self.closing) do
      if others[stopping.partition] then table.insert(outside, stopping.what) end
    end
    known = (#outside > 0 or name) and { outside = #outside > 0 and outside or nil, partition = name } or false
    self.places[key] = known
  end
  return known or nil
end

return Stopped
