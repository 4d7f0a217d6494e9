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

-- Layouts by kind of node, and by how many parts a GPU has.
local layouts_of_kind = {}
local layouts = { [4] = mig.a30, [7] = mig.a100 }

--- The slices with the largest sum of speeds, for units:best_gpu, units:divide and units:saved.
function module.best(mix, kind)
  local best = mig.best(mix, layouts_of_kind[kind])
  return best and best.slices
end

local function begin(view)
  view:units "gpus"
  layouts_of_kind = {} -- another run may have had kinds of the same names
  for _, kind in ipairs(view:kinds()) do
    layouts_of_kind[kind.name] = layouts[kind.slices]
    if kind.slices > 0 and not layouts[kind.slices] then
      error(("GPUs of '%s' have %d slices: layouts are known of GPUs with 4 and 7"):format(kind.name, kind.slices), 0)
    end
  end
end

local function schedule(view, params, plan)
  local units = view:units "gpus"
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
  policy.placement = "first"
  policy.key = function(job) return job.submit end
  policy.begin = begin
  policy.schedule = function(view, params) schedule(view, params, plan) end
  return policy
end

return module
