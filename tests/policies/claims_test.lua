-- What policies claim of themselves (`claims`), on small queues made by hand: each claim is broken by a policy that
-- does not deserve it, and the complaint says where.
local function run(claims, fields, options)
  local policy = { api = 1, name = "claimant", version = "1", claims = claims }
  for name, value in pairs(fields) do policy[name] = value end
  options.policy = policy
  return simulate(options)
end

local function broken(claims, fields, options) return run(claims, fields, options).broken_claims[1] or "" end

local function everybody_who_fits(view)
  for j in view:waiting() do
    if view:fits(j) then view:start(j) end
  end
end

local three = { nodes = 2, jobs = {
  job{submit=0, nodes=1, runtime=4}, job{submit=0, nodes=2, runtime=4}, job{submit=0, nodes=1, runtime=9},
} }

describe("claims", function()
  it("that hold are not complained of", function()
    for _, policy in ipairs { "fcfs", "easy", "conservative", "easy_sjbf", "sjf", "relaxed" } do
      expect(simulate(three, { policy = policy })).keeps_claims()
    end
  end)

  it("in-order: no job passes", function()
    expect(broken({ "in-order" }, { schedule = everybody_who_fits }, three))
      .equals("in-order: at 0 s, job 3: starts, and job 2, which is in front of it, waits")
    expect(broken({ "in-order" }, {}, three)).equals("")
  end)

  it("head-never-delayed: the first of the queue keeps its earliest start", function()
    local jobs = { job{submit=0, nodes=1, runtime=4}, job{submit=0, nodes=2, runtime=4},
      job{submit=1, nodes=1, runtime=9} }
    local what = "head-never-delayed: at 1 s, job 2: the first of the queue could have started at 4 s, now not before "
      .. "10 s"
    expect(broken({ "head-never-delayed" }, { schedule = everybody_who_fits }, { nodes = 2, jobs = jobs })).equals(what)
    expect(broken({ "head-never-delayed" }, { backfill = "easy" }, { nodes = 2, jobs = jobs })).equals("")
  end)

  it("head-never-delayed: a more urgent job that comes is the first itself", function()
    local jobs = { job{submit=0, nodes=1, runtime=4}, job{submit=0, nodes=2, runtime=4},
      job{submit=1, nodes=1, runtime=9} }
    expect(broken({ "head-never-delayed" }, { key = function(j) return -j.submit end },
      { nodes = 2, jobs = jobs })).equals("")
    local dynamic = function(j) return -j.submit end
    expect(broken({ "head-never-delayed" }, { dynamic_key = dynamic }, { nodes = 2, jobs = jobs })).equals("")
  end)

  it("head-never-delayed: a moldable job that takes another size asks for something else", function()
    -- From 52 s on one node is free; with both it would end first.
    local jobs = { job{submit=0, nodes=1, runtime=351}, job{submit=12, nodes=1, runtime=40},
                   job{submit=12, nodes=1, runtime=300, limit=600, sizes="2:150"} }
    for _, policy in ipairs { "fcfs", "easy" } do
      local ran = simulate { policy = policy, nodes = 2, jobs = jobs }
      expect(ran).keeps_claims()
      expect(ran.jobs[3].start).equals(351)
    end
  end)

  it("work-conserving: idle nodes are for any job that fits", function()
    expect(broken({ "work-conserving" }, {}, three))
      .equals("work-conserving: at 0 s, job 3: waits for 1 nodes although 1 are idle")
    expect(broken({ "work-conserving" }, { schedule = everybody_who_fits }, three)).equals("")
  end)

  it("no-idle-gpus: the first job has GPUs that nothing uses, on nodes in use, too", function()
    local half = { cores = 1, gpus = 1, gpu_share = 0.5 }
    local options = { machine = { nodes = { { name = "g", count = 1, cores = 8, gpus = 4 } } }, jobs = {} }
    for i = 1, 3 do options.jobs[i] = job { submit = 0, nodes = 1, runtime = 10, request = half } end
    local function two_a_node(node) return node.jobs < 2 and 1 end
    expect(broken(nil, { placement = two_a_node }, options))
      .equals("no-idle-gpus: at 0 s, job 3: waits although it is the first of the queue and GPUs that it could have "
        .. "are idle")
    expect(broken(nil, { placement = function() return 1 end }, options)).equals("")
    for i = 4, 9 do options.jobs[i] = job { submit = 0, nodes = 1, runtime = 10, request = half } end
    local function seven_a_node(node) return node.jobs < 7 and 1 end
    expect(broken(nil, { placement = seven_a_node }, options)).equals("") -- no GPU is idle by then
  end)

  it("never-idle: something runs where a job waits", function()
    local function late(view)
      if view.now < 5 then return view:wake(5) end
      view:start_in_order()
    end
    expect(broken({ "never-idle" }, { schedule = late }, three))
      .matches("^never%-idle: at 0 s, job 1: waits although nothing runs")
    expect(broken({ "never-idle" }, {}, three)).equals("")
  end)

  it("no-starvation: later jobs cannot keep a job waiting for ever", function()
    local jobs = { job{submit=0, nodes=1, runtime=1}, job{submit=0, nodes=1, runtime=3} }
    for i = 1, 9 do jobs[#jobs + 1] = job{submit=i, nodes=1, runtime=1} end
    local shortest = { order = "duration" }
    expect(broken({ "no-starvation" }, shortest, { nodes = 1, jobs = jobs }))
      .equals("no-starvation: at 10 s, job 2: starts 10 s after it came; 1 waited then, and no job takes longer than 3 "
        .. "s")
    -- Those of the next minute may go first.
    expect(broken({ ["no-starvation"] = 60 }, shortest, { nodes = 1, jobs = jobs })).equals("")
    expect(broken({ "no-starvation" }, {}, { nodes = 1, jobs = jobs })).equals("")
  end)

  it("fairness-bound: no job ends much later than it could expect", function()
    local jobs = { job{submit=0, nodes=1, runtime=9}, job{submit=0, nodes=1, runtime=3} }
    local latest = { order = "duration" }
    expect(broken({ "fairness-bound" }, latest, { nodes = 1, jobs = jobs })).equals(
      "fairness-bound: at 12 s, job 1: ends 12 s after it came, 1.33 times the 9 s that it could expect then")
    expect(broken({ ["fairness-bound"] = 1.5 }, latest, { nodes = 1, jobs = jobs })).equals("")
  end)

  it("promises-kept: no reservation moves later", function()
    local passes = 0
    local function breaks(view)
      passes = passes + 1
      view:start_due()
      if passes == 1 then view:start(view:head()) end
      local head = view:head()
      if passes == 1 then view:reserve(head, view:earliest(head)) end
      if passes == 2 then view:reserve(head, view:later(view:earliest(head), 5)) end
      for j in view:waiting() do
        if passes > 2 and not view:reservation(j) and view:fits(j) then view:start(j) end
      end
    end
    local jobs = { job{submit=0, nodes=1, runtime=9}, job{submit=0, nodes=1, runtime=3},
      job{submit=2, nodes=1, runtime=3} }
    expect(run({ "promises-kept" }, { schedule = breaks }, { nodes = 1, jobs = jobs }).broken_claims[1])
      .matches("^promises%-kept: ")
    expect(broken({ "promises-kept" }, { backfill = "conservative" }, { nodes = 1, jobs = jobs })).equals("")
  end)

  it("may depend on parameters, and make sense only where there is a queue", function()
    local policy = {
      api = 1, name = "c", version = "1", backfill = "easy", params = { n = { default = 0, doc = "" } },
      claims = function(params) return params.n == 0 and { "in-order" } or {} end,
    }
    expect(#simulate(three, { policy = policy }).broken_claims).equals(0)
    expect(function() simulate(three, { policy = { api = 1, name = "c", version = "1", claims = { "in-ordr" } } }) end)
      .raises("did you mean 'in-order'?")
    expect(function()
      simulate(three, { policy = {
        api = 1, name = "c", version = "1", claims = { "never-idle" },
        slices = { interval = 3600, classes = { { name = "all", share = 1 } } },
      } })
    end).raises('claim "never-idle" has no meaning with time slices')
  end)
end)
