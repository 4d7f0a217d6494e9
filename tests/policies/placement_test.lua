-- Which nodes jobs get: the policies that place them, by hand, and what placement functions may do.
describe("placement", function()
  local machine = {
    nodes = {
      { name = "small", count = 2, cores = 8, memory = "64 GiB", gpus = 2, gpu_type = "A" },
      { name = "large", count = 2, cores = 16, memory = "64 GiB", gpus = 8, gpu_type = "B" },
    },
  }

  --- Jobs that come one after the other and stay.
  local function stay(requests)
    local jobs = {}
    for i, r in ipairs(requests) do jobs[i] = job { submit = i, nodes = 1, runtime = 1000, request = r } end
    return jobs
  end

  local function placed(policy, requests)
    return simulate { policy = policy, machine = machine, jobs = stay(requests) }
  end

  local function nodes(run)
    local of = {}
    for i, j in ipairs(run.jobs) do of[i] = tonumber(j.allocated) end
    return of
  end

  local function by(placement)
    return { api = 1, name = "by", version = "1", placement = placement, backfill = "easy" }
  end

  local one, half = { cores = 1, gpus = 1 }, { cores = 1, gpus = 1, gpu_share = 0.5 }

  it("takes the first node, the least left, the most left, or nodes in use, by name", function()
    local jobs = { { cores = 1, features = "large" }, { cores = 1 } }
    jobs[1] = { cores = 9 } -- only a large node has them
    expect(nodes(placed(by "first", jobs))).equals { 2, 0 }
    expect(nodes(placed(by "pack", jobs))).equals { 2, 2 }
    expect(nodes(placed(by "spread", jobs))).equals { 2, 3 }
    expect(nodes(placed(by "best-fit", { { cores = 7 }, { cores = 1 } }))).equals { 0, 0 }
  end)

  it("gives the nodes of few switches: of one with the fewest that are enough, else first those of the one with the "
    .. "most", function()
    local function run(placement, jobs)
      local all = {}
      for i, n in ipairs(jobs) do all[i] = job { submit = i, nodes = n, runtime = 1000 } end
      local ran = simulate { policy = by(placement), jobs = all, machine = { nodes = 9,
        switches = { { name = "s[1-2]", count = 3 }, { name = "t", nodes = { "n[7-8]" } } } } }
      local of = {}
      for i, j in ipairs(ran.jobs) do of[i] = j.allocated end
      return of, ran.summary.switches
    end
    local of, figures = run("switch", { 1, 2, 3, 3 }) -- node 8 is a switch of its own
    expect(of).equals { "8", "6-7", "0-2", "3-5" }
    expect({ figures.per_job, figures.one_share }).equals { 1, 1 }
    expect(run("switch", { 1, 5 })[2]).equals "0-2 6-7"
    local first, spread = run("first", { 1, 2, 3, 3 })
    expect(first).equals { "0", "1-2", "3-5", "6-8" }
    expect({ spread.per_job, spread.one_share }).equals { 1.25, 2 / 3 }
    local packed = run({ rank = "pack", groups = { "n" }, switches = true }, { 1, 2 })
    expect(packed).equals { "8", "6-7" }
  end)

  it("asks a function for scores, the highest first, ties by number", function()
    local last = by(function(node) return node.number end)
    expect(nodes(placed(last, { one, one }))).equals { 3, 3 }
    local equal = by(function() return 7 end)
    expect(nodes(placed(equal, { one, one, one }))).equals { 0, 0, 1 }
  end)

  it("leaves nodes out for which the function returns nil or false", function()
    local only_b = by(function(node) return node.gpu_type == "B" and 1 end)
    expect(nodes(placed(only_b, { one, one }))).equals { 2, 2 }
    local never = by(function() return nil end)
    expect(function() placed(never, { one }) end).raises("waiting for ever")
  end)

  it("gives the GPU that the function names", function()
    local seen = {}
    local spreads = by(function(node, job)
      local most, gpu = -1, nil
      for g = 1, #node.gpu_free do
        if node.gpu_free[g] > most then most, gpu = node.gpu_free[g], g end
      end
      if node.number == 0 then seen[job.id] = node.gpu_free[1] + 10 * node.gpu_free[2] end
      return -node.number, gpu
    end)
    placed(spreads, { half, half, half })
    expect(seen).equals { 11, 10.5, 5.5 }
  end)

  it("refuses GPUs that the job cannot have", function()
    local function answers(...)
      local values = table.pack(...)
      return function() placed(by(function() return table.unpack(values, 1, values.n) end), { one }) end
    end
    expect(answers(1, 9)).raises("GPU of which enough is left")
    expect(answers(1, { 1, 2 })).raises("a list of as many as the job asks for")
    expect(answers(1, 1.5)).raises("GPU of which enough is left")
    expect(answers("much")).raises("a score")
    expect(answers(0 / 0)).raises("a score")
    expect(answers(true)).raises("a score")
  end)

  it("shows the node and what is asked of it", function()
    local seen
    placed(by(function(node, job)
      local r = job.request
      seen = seen or {
        node.cores, node.cores_free, node.memory, node.memory_free, node.gpus, #node.gpu_free, node.gpus_free,
        node.gpus_idle, node.gpu_type, node.kind, node.jobs, node.gpu_jobs, node:alike(job), node:fitting_gpu(job),
        r.cores, r.gpus, r.gpu_share, #r.gpu_types, r.nodes, job.id,
      }
      return 0
    end), { half })
    expect(seen).equals { 8, 8, 65536, 65536, 2, 2, 2, 2, "A", "small", 0, 0, 0, 1, 1, 1, 0.5, 0, 1, 1 }
  end)

  it("names the field that is misspelt, and nodes cannot be kept", function()
    expect(function() placed(by(function(node) return node.core_free end), { one }) end).raises(
      "did you mean 'cores_free'")
    expect(function() placed(by(function(_, job) return job.request.gpu end), { one }) end).raises(
      "did you mean 'gpus'")
    expect(function() placed(by(function(node) node.cores_free = 1 end), { one }) end).raises("cannot be written to")
    local kept
    local keeps = by(function(node) kept = node return 0 end)
    placed(keeps, { one })
    expect(function() return kept.cores_free end).raises("only valid inside the placement function")
    expect(function() return kept:fragmentation() end).raises("only valid inside the placement function")
  end)

  it("works on equal nodes that jobs have for themselves", function()
    local from_above = by(function(node) return node.number end)
    local run = simulate { policy = from_above, nodes = 4, jobs = { job{nodes=2, runtime=9}, job{nodes=1, runtime=9} } }
    expect(run.jobs[1].allocated).equals("2-3")
    expect(run.jobs[2].allocated).equals("1")
  end)

  it("does not go with shared nodes and coscheduling, nor with slices that choose nodes", function()
    local both = by "first"
    both.sharing = { alone = function() return 1 end, shared = function() return 1 end }
    expect(function() placed(both, { one }) end).raises("groups on shared nodes and a placement cannot be combined")
    both.sharing, both.slices = nil, { classes = { { name = "all" } }, node_rank = function() return 1 end }
    expect(function() placed(both, { one }) end).raises("slices that choose nodes and a placement cannot be combined")
  end)
end)

-- The policies of the fragmentation study (Weng et al. 2023): each against its formula, by hand.
describe("policies that place jobs on GPUs", function()
  local machine = {
    nodes = {
      { name = "a", count = 1, cores = 64, gpus = 4, gpu_type = "A" },
      { name = "b", count = 2, cores = 96, gpus = 8, gpu_type = "B" },
    },
  }

  local function nodes(policy, requests)
    local jobs = {}
    for i, r in ipairs(requests) do jobs[i] = job { submit = i, nodes = 1, runtime = 1000, request = r } end
    local run, of = simulate { policy = policy, machine = machine, jobs = jobs }, {}
    for i, j in ipairs(run.jobs) do of[i] = tonumber(j.allocated) end
    return of
  end

  local one, half, two = { cores = 4, gpus = 1 }, { cores = 4, gpus = 1, gpu_share = 0.5 }, { cores = 4, gpus = 2 }

  it("best_fit leaves least: the smaller node, and then again", function()
    expect(nodes("best_fit", { one, one, two, one })).equals { 0, 0, 0, 1 }
  end)

  it("dotprod takes the smallest product of what is left and asked for", function()
    expect(nodes("dotprod", { two, one, one, one })).equals { 0, 0, 0, 1 }
  end)

  it("gpu_packing takes GPUs in use, then idle ones of nodes in use, then idle nodes with few GPUs", function()
    expect(nodes("gpu_packing", { half, half, two, one })).equals { 0, 0, 0, 0 }
    expect(nodes("gpu_packing", { { cores = 70, gpus = 1 }, one })).equals { 1, 1 }
  end)

  it("gpu_clustering joins jobs that ask alike", function()
    expect(nodes("gpu_clustering", { half, one, two, half, one, two })).equals { 0, 1, 2, 0, 1, 2 }
  end)

  it("fgd fills GPUs that are begun, and leaves whole ones together for jobs that want several", function()
    local halves = { half, half, half, half, half, half, half, half, two }
    expect(nodes("fgd", halves)).equals { 0, 0, 0, 0, 1, 1, 1, 1, 0 }
  end)

  it("random_fit takes any node, another for another seed", function()
    local seen = {}
    for seed = 1, 30 do
      local run = simulate { policy = "random_fit", machine = machine, seed = seed,
        jobs = { job{nodes=1, runtime=9, request=one} } }
      seen[tonumber(run.jobs[1].allocated) + 1] = true
    end
    expect(#seen).equals(3)
  end)
end)
