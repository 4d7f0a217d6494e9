-- GPUs that are divided into slices: examples by hand. Speeds on slices are those of slowdowns/slices.lua: application
-- 1 has 0.1, 0.2, 0.4, 0.5 on 1 to 4 parts, application 2 has 0.5 and 0.8, application 3 0.625 on three and 0.75 on
-- four parts, none on fewer.
local function run(list, params, machine, policy)
  local jobs = {}
  for i, j in ipairs(list) do
    j.nodes, j.executable = 1, j.executable or 1
    j.request = j.request or { cores = 1, gpus = 1, gpu_share = 0.1 }
    jobs[i] = job(j)
  end
  params = params or {}
  params.restart = params.restart or 0
  local ran = simulate {
    policy = policy or "gpu_mig", params = params, jobs = jobs, engine = { at_limit = "extend" },
    machine = { nodes = machine or { { name = "new", count = 1, cores = 8, gpus = 1, gpu_type = "new", slices = 7 } } },
    slowdown = { model = "script", script = "slowdowns/slices.lua", among = "gpu" },
  }
  expect(ran).violates_nothing()
  local starts, ends = {}, {}
  for i, j in ipairs(ran.jobs) do starts[i], ends[i] = j.start, j.finish end
  return { starts = starts, ends = ends, jobs = ran.jobs, summary = ran.summary }
end

local function gpus(count, rest)
  local kind = { name = "new", count = count, cores = 8, gpus = 1, gpu_type = "new", slices = 7 }
  for name, value in pairs(rest or {}) do kind[name] = value end
  return { kind }
end

describe("gpu_mig", function()
  it("gives each job a GPU of its own while there are enough", function()
    local ran = run({ { runtime = 100 }, { runtime = 50, executable = 2 } }, {}, gpus(2))
    expect(ran.ends).equals { 100, 50 }
    expect(ran.summary.resources.gpu_utilization).near(150 / 200, 1e-9)
    expect(ran.summary.resources.gpus_with_jobs).near(150 / 200, 1e-9)
  end)

  it("divides a GPU where the speeds of both add up to more", function()
    -- Two of application 2 have slices of 4 and 2 parts: 0.8 of their speeds each.
    expect(run({ { runtime = 80, executable = 2 }, { runtime = 80, executable = 2 } }).ends).equals { 100, 100 }
    -- Two of application 1 would have 0.4 each on 3 parts.
    expect(run({ { runtime = 100 }, { runtime = 100 } }).ends).equals { 100, 200 }
  end)

  it("gives the larger slice to the job that loses more", function()
    -- Application 1 on 4 parts, application 2 on 2 of them: 0.5 + 0.8. The whole GPU is left to job 1 at 100 with 50 s
    -- to do.
    local ran = run { { runtime = 100, executable = 1 }, { runtime = 80, executable = 2 } }
    expect(ran.ends).equals { 150, 100 }
  end)

  it("stops a running job for a smaller slice, and for a larger one when the other has ended", function()
    -- From 20 to 120 both have 0.8; job 1 has done 20 + 80 s then, and has the whole GPU for the other 100 s.
    local list = { { runtime = 200, executable = 2 }, { submit = 20, runtime = 80, executable = 2 } }
    expect(run(list).ends).equals { 220, 120 }
    -- Each stop costs 10 s of the whole GPU's time: job 1 begins again at 20 with 190 s to do, of which 80 are done at
    -- 120, and at 120 with 110 + 10.
    expect(run(list, { restart = 10 }).ends).equals { 240, 120 }
  end)

  it("does not stop a job for a larger slice where that costs more than it brings", function()
    -- At 100 job 1 has 120 s to do: 150 s in its slice, 120 s and the restart on the whole GPU.
    local list = { { runtime = 200, executable = 2 }, { runtime = 80, executable = 2 } }
    expect(run(list, { restart = 29 }).ends).equals { 249, 100 }
    expect(run(list, { restart = 31 }).ends).equals { 250, 100 }
  end)

  it("keeps running jobs in their slices with move = false", function()
    -- Jobs 1 and 2 come together and share from the beginning; what job 2 leaves at 100 job 1 does not get. Job 3 comes
    -- at 100 and finds two parts: the layout of 4, 2 and 1.
    local list = { { runtime = 200, executable = 2 }, { runtime = 80, executable = 2 },
      { submit = 100, runtime = 80, executable = 2 } }
    expect(run(list, { move = false }).ends).equals { 250, 100, 200 }
    -- A job that has the whole GPU keeps it.
    list = { { runtime = 100, executable = 2 }, { submit = 20, runtime = 80, executable = 2 } }
    expect(run(list, { move = false }).ends).equals { 100, 180 }
  end)

  it("lets jobs wait for which there is no layout, or too little gain", function()
    -- Two of application 3 have 3 parts each, and no third job finds a slice: 100 / 0.625 = 160.
    local list = { { runtime = 100, executable = 3 }, { runtime = 100, executable = 3 },
      { runtime = 10, executable = 2 } }
    local ran = run(list)
    expect(ran.ends).equals { 160, 160, 170 }
    -- The gain of two of application 3 is 0.25.
    expect(run({ list[1], list[2] }, { least = 0.26 }).ends).equals { 100, 200 }
    expect(run({ list[1], list[2] }, { least = 0.24 }).ends).equals { 160, 160 }
  end)

  it("gives no slice that is smaller than the share that a job asks for", function()
    local half = { cores = 1, gpus = 1, gpu_share = 0.5 }
    -- Four parts each: no layout has that twice.
    local list = { { runtime = 80, executable = 2, request = half }, { runtime = 80, executable = 2, request = half } }
    expect(run(list).ends).equals { 80, 160 }
    list[2].request = { cores = 1, gpus = 1, gpu_share = 0.143 }
    expect(run(list).ends).equals { 100, 100 }
  end)

  it("takes the fastest kind of GPU that is free, whole ones where they cannot be divided", function()
    local machine = gpus(1)
    machine[2] = { name = "old", count = 1, cores = 8, gpus = 2, gpu_type = "old" }
    local two = { cores = 1, gpus = 2 }
    -- Job 2 has an old GPU, half as fast; job 3 waits for both of them until 40, and holds up job 4, although that
    -- could share.
    local list = {
      { runtime = 100, executable = 2 }, { runtime = 20, executable = 2 },
      { runtime = 10, executable = 2, request = two },
      { submit = 1, runtime = 8, executable = 2 },
    }
    local ran = run(list, {}, machine)
    expect(ran.starts[3]).equals(40)
    expect(ran.starts[4]).equals(40)
    expect(ran.ends[2]).equals(40)
    expect(ran.ends[3]).equals(60)
    expect(ran.ends[4]).equals(50) -- 8 / 0.8
  end)

  it("lets a job that finds no cores on a divided GPU's node wait", function()
    local machine = gpus(1, { cores = 1 })
    local ran = run({ { runtime = 80, executable = 2 }, { runtime = 80, executable = 2 } }, {}, machine)
    expect(ran.ends).equals { 80, 160 }
  end)

  it("starts jobs without GPUs in order", function()
    local ran = run({ { runtime = 10, request = { cores = 8 } }, { runtime = 10 },
      { runtime = 5, request = { cores = 1 } } })
    expect(ran.starts).equals { 0, 10, 10 }
  end)

  it("divides GPUs of four parts", function()
    local ran = run({ { runtime = 80, executable = 2 }, { runtime = 80, executable = 2 } }, {}, gpus(1, { slices = 4 }))
    expect(ran.ends).equals { 100, 100 }
  end)

  it("divides GPUs of other numbers of parts in every way", function()
    -- Five of application 2 on eight parts: three have two of them, 0.8, and two have one, 0.5, until the three end at
    -- 100 with 50 s of work left to each of the others, which have four parts then, and 0.8.
    local five = {}
    for i = 1, 5 do five[i] = { runtime = i <= 3 and 80 or 90, executable = 2 } end
    expect(run(five, {}, gpus(1, { slices = 8 })).ends).equals { 100, 100, 100, 150, 150 }
    -- Application 4 does a sixteenth on each part.
    for parts = 2, 16 do
      expect(run({ { runtime = parts, executable = 4 } }, {}, gpus(1, { slices = parts })).ends).equals { 16 }
    end
  end)

  it("starts jobs at once where those that were to make way keep their slices after all", function()
    -- At 986.4 job 9 is given a part first, and job 8 less for it; then job 11 is planned, too, and job 8 is to have
    -- again what it has.
    local list = {}
    for i, j in ipairs {
      { 274, 189, 3, 1, 0.1 }, { 317, 254, 2, 2, 0.1 }, { 329, 258, 3, 1, 0.1 }, { 352, 275, 1, 2, 0.4 },
      { 376, 112, 1, 1, 0.1 }, { 382, 287, 1, 2, 1 }, { 519, 185, 1, 1, 0.4 }, { 589, 179, 3, 2, 0.1 },
      { 589, 85, 1, 2, 0.1 }, { 642, 183, 1, 2, 0.1 }, { 732, 45, 2, 1, 0.1 },
    } do
      list[i] = { submit = j[1], runtime = j[2], executable = j[3],
        request = { cores = j[4], gpus = 1, gpu_share = j[5] } }
    end
    local machine = gpus(1, { cores = 5 })
    machine[2] = { name = "old", count = 1, cores = 4, gpus = 2, gpu_type = "old" }
    expect(run(list, {}, machine).starts[11]).near(986.4, 1e-9)
  end)

  property("runs every job, on GPUs of two kinds", { jobs = 30, nodes = 1, runs = 40 }, function(workload)
    for i, j in ipairs(workload.jobs) do
      j.executable, j.request = 1 + i % 3,
      { cores = 1, gpus = i % 7 == 0 and 2 or 1, gpu_share = i % 7 == 0 and 1 or 0.1 }
    end
    for _, move in ipairs { true, false } do
      local ran = simulate(workload, {
        policy = "gpu_mig", params = { move = move, restart = 3 }, engine = { at_limit = "extend" },
        machine = { nodes = { { name = "new", count = 2, cores = 8, gpus = 2, gpu_type = "new", slices = 7 },
          { name = "old", count = 1, cores = 8, gpus = 1, gpu_type = "old" } } },
        slowdown = { model = "script", script = "slowdowns/slices.lua", among = "gpu" },
      })
      expect(ran).violates_nothing()
      expect(ran.summary.nb_jobs_finished).equals(#workload.jobs)
    end
  end)
end)

describe("slices of GPUs", function()
  local function asks(schedule, list, machine)
    return run(list or { { runtime = 10, executable = 3 } }, {}, machine,
      { api = 1, name = "asks", version = "1", placement = "first", schedule = schedule,
        params = { restart = { default = 0, doc = "None." } } })
  end

  it("have speeds, and are what a job asks for from then on", function()
    local seen, speeds
    local ran = asks(function(view)
      local head = view:head()
      if not head then return end
      speeds = view:slice_speeds(head, "new")
      seen = { view:kinds()[1].slices, view:slice_speed(head, "new", 2), view:slice_speed(head, "new", 4),
        view:slice_speed(head, "new", 8), view:speed(head, "new") }
      view:set_slice(head, "new", 4)
      seen[6], seen[7] = view:request(head).gpu_share, view:speed(head, "new")
      view:set_slice(head)
      seen[8] = view:request(head).gpu_share
      view:set_slice(head, "new", 3)
      view:start(head, { kind = "new", alone = true })
    end)
    expect(seen).equals { 7, 0, 0.75, 0, 1, 0.571, 0.75, 0.1 }
    expect(speeds).equals { 0, 0, 0.625, 0.75, 0, 0, 1 }
    expect(ran.ends).equals { 16 }
    expect(ran.summary.resources.gpu_utilization).near(0.428, 1e-9)
    expect(ran.summary.resources.gpus_with_jobs).equals(1)
  end)

  it("are refused where a job cannot have them", function()
    expect(function() asks(function(view) view:set_slice(view:head(), "new", 2) end) end)
      .raises "job 1 cannot have a slice of 2 parts of a GPU of 'new', which has 7"
    expect(function()
      asks(function(view) view:set_slice(view:head(), "new", 1) end, nil,
        { { name = "new", count = 1, cores = 8, gpus = 1, gpu_type = "new" } })
    end).raises "which has 0"
    local two = { { runtime = 10, executable = 2, request = { cores = 1, gpus = 2 } } }
    expect(function() asks(function(view) view:set_slice(view:head(), "new", 7) end, two, gpus(1, { gpus = 2 })) end)
      .raises "cannot have a slice of 7 parts"
  end)

  it("need GPUs, of nodes that may be powered down", function()
    local function machine(rest)
      return simulate {
        policy = "gpu_mig", jobs = { job { nodes = 1, runtime = 1 } }, power = rest.power,
        machine = { nodes = { { name = "new", count = 1, gpus = rest.gpus, slices = 7 } } },
      }
    end
    expect(function() machine { gpus = 0 } end).raises "the kind 'new' has slices of GPUs, but no GPUs"
    expect(machine({ gpus = 1, power = { idle = 10, boot = 5, shutdown = 5 } }).jobs[1].finish).equals(1)
  end)

  it("have measured speeds where slowdowns/mig.lua is given some", function()
    local asked = { cores = 1, gpus = 1, gpu_share = 0.14 }
    local ran = simulate {
      policy = "gpu_mig", params = { restart = 0 }, machine = { nodes = gpus(1) }, engine = { at_limit = "extend" },
      jobs = {
        job { nodes = 1, runtime = 50, application = "bert/2", request = asked },
        job { nodes = 1, runtime = 50, application = "bert/2", request = asked },
      },
      slowdown = { model = "script", script = "../../scenarios/slowdowns/mig.lua", among = "gpu",
        params = { measured = { csv = "slowdowns/mig.csv" } } },
    }
    -- Two slices of 3 parts, as 4 and 3 are no layout: 50 / 0.625.
    expect(ran.jobs[1].finish).equals(80)
    expect(ran.jobs[2].finish).equals(80)
  end)

  it("have speeds in proportion to their parts where nothing else is said", function()
    local ran = simulate {
      policy = "gpu_mig", params = { restart = 0 },
      jobs = { job { nodes = 1, runtime = 70, request = { cores = 1, gpus = 1, gpu_share = 0.1 } } },
      machine = { nodes = gpus(1) },
    }
    expect(ran.jobs[1].finish).equals(70)
  end)
end)
