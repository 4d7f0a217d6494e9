-- GPUs that a policy divides into slices (`machine.nodes.slices`), and the jobs on them (view:units).
--
--   local divided = require "divided_gpus"
--   return divided.policy({ api = 1, name = ..., version = ... }, function(units, view, params) ... end)
--
-- The function plans in each pass what is to be on the GPUs: units:give_free(), units:divide(gpu, divided.best, job).
-- Then jobs whose slices are other ones stop, and those that wait start; one for which there is no room is planned
-- anew.
local mig = require "mig"

local module = {}

-- Layouts by kind of node, and of how many parts those are known by rule.
local layouts_of_kind = {}
local layouts = { [4] = mig.a30, [7] = mig.a100 }

--- The slices with the largest sum of speeds, for units:best_gpu, units:divide and units:saved.
function module.best(mix, kind)
  local best = mig.best(mix, layouts_of_kind[kind])
  return best and best.slices
end

-- Of how many jobs it is looked at whether dividing a GPU could be worth anything for them.
local judged = 3

-- Whether each slice does the part of the whole GPU's work that it is of it; nil: the job can have no slice.
local function in_proportion(view, job)
  local any
  for _, kind in ipairs(view:kinds()) do
    local speeds, whole = kind.slices > 0 and view:slice_speeds(job, kind.name) or {}, kind.slices
    for parts = 1, whole - 1 do
      if (speeds[parts] or 0) > 0 then
        if math.abs(speeds[parts] * whole - speeds[whole] * parts) > 1e-6 * speeds[whole] * whole then return false end
        any = true
      end
    end
  end
  return any
end

-- Says once that no slice is faster than its part of a GPU, if that is so for the first jobs that can have some.
local function look_at_speeds(self, view)
  for job in view:waiting() do
    local proportional = not self.seen[job.id] and in_proportion(view, job)
    if proportional == false and not self.seen[job.id] then self.judges = false
    elseif proportional then self.alike = self.alike + 1 end
    self.seen[job.id] = true
    if self.alike == judged then
      print("slices of GPUs do no more than their parts of the work (the slowdown script has no `on_slice`): dividing "
        .. "a GPU gains nothing, and no job shares one")
      self.judges = false
    end
    if not self.judges then return end
  end
end

local function begin(view)
  view:units "gpus"
  layouts_of_kind = {} -- another run may have had kinds of the same names
  for _, kind in ipairs(view:kinds()) do
    if kind.slices > 0 then layouts_of_kind[kind.name] = layouts[kind.slices] or mig.any(kind.slices) end
  end
end

local function schedule(view, params, plan, self)
  local units = view:units "gpus"
  if self.judges then look_at_speeds(self, view) end
  units:resume_slices()
  repeat -- what did not fit leaves something to others
    plan(units, view, params)
  until not units:carry_out_slices(params.restart)
end

--- Completes a policy that divides GPUs: its hooks, `placement`, and the parameter restart. First come, first served.
---@param policy table Fields of the policy.
---@param plan function Says in a pass what is to be: plan(units, view, params).
function module.policy(policy, plan)
  policy.params = policy.params or {}
  policy.params.restart = { default = 30, min = 0,
    doc = "What a job loses that stops and goes on in another slice, s." }
  policy.placement, policy.units = "first", "gpus"
  policy.key = function(job) return job.submit end
  policy.begin = begin
  local self = { judges = true, alike = 0, seen = {} }
  policy.schedule = function(view, params) schedule(view, params, plan, self) end
  policy.reason = function(view, job)
    local head = view:waiting()()
    if head and head.id ~= job.id then
      return nil, ("job %d before it had to wait, and no job passes another"):format(head.id)
    end
    return nil, "no GPU was left for itself, and none was to be divided for it"
  end
  return policy
end

return module
