-- A policy to start from. It works as it is. Change it, run it (coslice run TRACE.swf --policy @NAME@.lua), test it
-- (coslice test @NAME@_test.lua). Times are seconds. All that a policy may say: docs/policy-api.md.
---@type coslice.Policy
return {
  api = 1, -- the interface's version
  name = "@NAME@",
  version = "1", -- raise it whenever the policy decides differently: results record it
  description = "Short jobs first; a job moves up as it waits. EASY backfilling.",

  -- Parameters can be set in a scenario, [policy.params], and by --set policy.params.patience=600.
  -- One that is named like a setting is that setting: backfill = { default = "easy", doc = "How jobs pass others." }.
  params = {
    patience = { default = 3600, min = 1, doc = "Waiting time after which a job counts as half as long, s." },
  },

  -- Place in the queue, the lowest first; asked at each scheduling pass because it changes with time. A place that
  -- never changes is cheaper: key = function(job, params) return job.estimate end, asked once at submission.
  --   job.id, job.submit, job.nodes, job.processes, job.estimate (how long it is believed to run), job.class, job.user,
  --   job.group, job.queue, job.partition, job.executable, job.memory
  dynamic_key = function(job, now, params)
    local waited = now - job.submit
    return job.estimate / (1 + waited / params.patience)
  end,

  -- How jobs pass those that must wait: "none", "easy" or "conservative".
  backfill = "easy",

  -- Further hooks, all of them optional:
  --   may_start = function(job, now, params) return true end     -- false: not now
  --   begin = function(view, params) end                         -- the run begins
  --   submitted = function(view, job, params) end                -- a job entered the queue
  --   ended = function(view, job, params) end                    -- a job ended
  --   schedule = function(view, params) view:easy() end          -- a whole pass, instead of order and backfill above
}
