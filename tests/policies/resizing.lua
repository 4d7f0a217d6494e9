-- What suites on jobs that are resized have in common: require("resizing")(simulate, expect, machine), as modules do
-- not see the library of a suite.
return function(simulate, expect, machine)
  local resizing = {}

  --- Starts jobs in order, then decides; `more` are further fields of the policy.
  local function policy(decide, more)
    local p = { api = 1, name = "resizes", version = "1", schedule = function(view, params)
      view:start_in_order()
      decide(view, params)
    end }
    for k, v in pairs(more or {}) do p[k] = v end
    return p
  end

  --- Runs jobs on the machine, each with the size that it asks for; `rest` are further options of the run.
  function resizing.ran(jobs, decide, more, rest)
    local options = { machine = machine, workload = { jobs = jobs }, policy = policy(decide, more),
      engine = { molding = "asked" } }
    for k, v in pairs(rest or {}) do options[k] = v end
    local run = simulate(options)
    expect(run).violates_nothing()
    return run
  end

  --- What is done once, at that time, with the first running job.
  function resizing.at(time, act)
    local done = false
    return function(view)
      if view.now < time then return view:wake(time) end
      if done then return end
      done = true
      act(view, view:running()())
    end
  end

  function resizing.to(nodes)
    return function(view, job) view:resize(job, nodes) end
  end

  return resizing
end
