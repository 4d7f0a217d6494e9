-- What suites on shared nodes have in common: require("sharing")(simulate, expect, job), as modules do not see the
-- library of a suite.
return function(simulate, expect, job)
  local sharing = {}

  --- Slowdowns that stand in the jobs.
  sharing.by_hand = { model = "script", script = "slowdowns/by_hand.lua" }

  --- A run on four nodes of two processors with two cores each, all jobs in one queue, under G-LOMARC-TS, unless the
  --- options say otherwise.
  function sharing.run(options)
    options.machine = options.machine or { nodes = 4, processors = 2, cores = 2 }
    options.policy = options.policy or "glomarc_ts"
    options.slowdown = options.slowdown or sharing.by_hand
    options.params = options.params or {}
    if options.params.sliced == nil and type(options.policy) == "string" then options.params.sliced = false end
    local run = simulate(options)
    expect(run).violates_nothing()
    return run
  end

  --- A job that bears no second process of its own on a node, so that its size is its number of nodes.
  function sharing.wide(options)
    options.executable, options.queue = 120, 130
    options.submit = options.submit or 0
    return job(options)
  end

  function sharing.serial(options)
    options.processes = 1
    options.submit = options.submit or 0
    return job(options)
  end

  --- The numbers of the jobs that have started at that instant.
  function sharing.started(run, time)
    local list = {}
    for i, j in ipairs(run.jobs) do
      if j.start == time then list[#list + 1] = i end
    end
    return list
  end

  return sharing
end
