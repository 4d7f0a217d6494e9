-- Plans with particular nodes, each for one job at a time, for policies that give jobs their nodes by numbers: which of
-- them could serve a job, and are open to it, beside outages and reservations of nodes.
local named = {}

--- Times in seconds miss an instant by up to so much, where they are large.
local tiny = 1e-6

--- How many nodes the job gets, and how long it is believed to run then: a moldable one as many as it says.
function named.size(view, job)
  local sizes = view:sizes(job)
  if not sizes then return job.nodes, job.estimate end
  return sizes[1].nodes, sizes[1].limit
end

--- As the engine chooses sizes anew before each pass.
local function set_size(view, job)
  local sizes = view:sizes(job)
  if sizes then view:set_nodes(job, sizes[1].nodes) end
end

--- Whether a node could serve the job, by its number; nil: each could.
local function able(view, job)
  if job.could_serve == nil then
    local _, count = view:eligible(job)
    job.could_serve = false
    if count < view.capacity then
      job.could_serve = {}
      for n = 0, view.capacity - 1 do
        local _, serves = view:eligible(job, { nodes = { n } })
        job.could_serve[n] = serves > 0
      end
    end
  end
  return job.could_serve or nil
end

--- The first instant at which the job could start beside running jobs, outages and reservations of nodes.
---@return coslice.Slot
function named.earliest(view, job)
  set_size(view, job)
  return view:earliest(job)
end

--- Which nodes could serve the job, and are open to it, from then on for so long: in order. When the first of the
--- others opens is a second result.
function named.open(view, job, from, length)
  local serves, shut, open = able(view, job), {}, {}
  local nodes, opens = view:closed(job, from + tiny, math.max(length - 2 * tiny, 0))
  for _, n in ipairs(nodes or {}) do shut[n] = true end
  for n = 0, view.capacity - 1 do
    if not shut[n] and (not serves or serves[n]) then open[#open + 1] = n end
  end
  return open, opens
end

--- Whether a node that is taken until then is free from `from` on.
function named.free_from(till, from) return till == nil or till <= from + tiny end

--- The nodes of the machine that no job has and that are up, from the lowest number on; of `kept` none.
function named.idle(view, kept)
  local taken, idle = view:taken(), {}
  for n = 0, view.capacity - 1 do
    if not taken[n] and not (kept and kept[n]) then idle[#idle + 1] = n end
  end
  return idle
end

--- Starts the job on the lowest of these nodes on which it can start. Returns whether it could.
function named.start(view, job, nodes)
  if named.size(view, job) > #nodes then return false end
  set_size(view, job)
  local place = { nodes = nodes }
  if not view:fits(job, place) then return false end
  view:start(job, place)
  return true
end

return named
