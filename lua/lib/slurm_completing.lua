-- Jobs in Slurm's state COMPLETING: they have ended, and their nodes are being cleared. While there is one, and for
-- CompleteWait at most, Slurm starts nothing; with reduce_completing_frag the main scheduler leaves out only the
-- partitions that have nodes in common with that of the job.
--
--   local completing = require("slurm_completing").new(params, overlaps)   -- nil without CompleteWait
--   completing:ends(job, now)
--   completing:cleared(now)          -- whether nodes of some job have been cleared since the last time
--   completing:until_when()           -- from when on the backfill scheduler may run
--   completing:stops_all(now)         -- whether the main scheduler starts no job
--   completing:stops(partition, now)  -- whether it starts none of the partition
local Completing = {}
Completing.__index = Completing

local Partitions = require "slurm_partitions"
local tolerance = require("slurm_instants").tolerance

--- `overlaps` as slurm_stopped has it.
---@param params coslice.Params
---@param overlaps table<integer, table<integer, boolean>>
function Completing.new(params, overlaps)
  if params.CompleteWait <= 0 then return nil end
  local wait = math.min(params.CompleteWait, params.completing)
  return setmetatable({ takes = params.completing, wait = wait, by_partition = params.reduce_completing_frag,
                        overlaps = overlaps, last = -math.huge, last_of = {}, clears = {}, first = 1 }, Completing)
end

--- The job has ended.
function Completing:ends(job, now)
  self.last = now + self.wait
  self.last_of[Partitions.of(job)] = self.last
  table.insert(self.clears, now + self.takes)
end

--- Whether the nodes of some job have been cleared since this was last asked.
function Completing:cleared(now)
  local before = self.first
  while self.clears[self.first] and self.clears[self.first] <= now + tolerance(now) do
    self.clears[self.first] = nil
    self.first = self.first + 1
  end
  return self.first ~= before
end

--- When the next nodes are cleared, or jobs may start again because Slurm waits no longer; nil: nothing is to come.
function Completing:next_time(now)
  local cleared = self.clears[self.first]
  if not cleared or self.last <= now + tolerance(now) then return cleared end
  return math.min(cleared, self.last)
end

--- From when on the backfill scheduler may run; the main one, too, unless it goes by partition.
function Completing:until_when() return self.last end

--- Whether the main scheduler starts nothing at all.
function Completing:stops_all(now) return not self.by_partition and self.last > now + tolerance(now) end

--- Whether it starts no job of the partition.
function Completing:stops(partition, now)
  if not self.by_partition or self.last <= now + tolerance(now) then return false end
  for other in pairs(self.overlaps[partition] or { [partition] = true }) do
    if (self.last_of[other] or 0) > now + tolerance(now) then return true end
  end
  return false
end

return Completing
