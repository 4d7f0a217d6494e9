-- Moldable jobs under policies that lay jobs over one another, or processes.
local fine = { name = "fine", compute = 1e-3, jitter = 0 }
local jobs = {
  { submit = 0, nodes = 3, runtime = 100, limit = 100, program = "fine" },
  { submit = 1, nodes = 1, runtime = 80, limit = 80, sizes = "1:80,4:30", program = "fine" },
}

--- Runs them on four nodes.
local function ran(policy, engine, of, rest)
  local options = { machine = { nodes = 4 }, workload = { jobs = of or jobs }, policy = policy, engine = engine,
    processes = { programs = { fine } } }
  for k, v in pairs(rest or {}) do options[k] = v end
  local run = simulate(options)
  expect(run).violates_nothing()
  return run
end

--- Whether a job takes about that time.
local function takes(job, time) return math.abs(job.finish - job.start - time) < 0.05 * time end

describe("a moldable job", function()
  it("has as many processes as its size says, and takes as long", function()
    local run = ran("batch")
    expect(run.jobs[2].start).equals(1)
    expect(takes(run.jobs[2], 80)).equals(true)
    run = ran("batch", { molding = "asked" }, { jobs[1], { submit = 1, nodes = 4, runtime = 30, sizes = "1:80",
      program = "fine" } })
    expect(run.jobs[2].start).equals(run.jobs[1].finish)
    expect(takes(run.jobs[2], 30)).equals(true)
  end)

  it("gets all processors that are free, or the size with which it ends first", function()
    local one = { { submit = 0, nodes = 1, runtime = 80, sizes = "1:80,2:50,4:30,8:1", program = "fine" } }
    for _, molding in ipairs { "fits-now", "ends-first" } do
      for _, policy in ipairs { "batch", "gang", "spin_block", "fcs" } do
        local run = ran(policy, { molding = molding }, one)
        expect(takes(run.jobs[1], 30)).equals(true)
      end
    end
  end)

  it("begins with a size that ends before all nodes are down", function()
    local run = simulate({ machine = { nodes = 4 },
      jobs = { { nodes = 2, runtime = 50 }, { submit = 1, nodes = 1, runtime = 300, sizes = "1:300,2:90,4:60" } },
      outages = { planned = { { kind = "maintenance", from = 100, length = 100 } } } }, { policy = "easy" })
    expect(run.jobs[2].nodes).equals(2)
    expect(run.jobs[2].start).equals(1)
  end)

  it("may have another size when it begins anew", function()
    local one = { { submit = 0, nodes = 1, runtime = 80, sizes = "1:80,4:30", program = "fine" } }
    local run = ran("batch", nil, one, { outages = { planned = { { kind = "failure", nodes = { "3" }, from = 10,
      length = 500 } } } })
    expect(takes(run.jobs[1], 80)).equals(true)
  end)

  it("has one size for a group from when it comes", function()
    local slowdown = { slowdown = { model = "resources" } }
    expect(takes(ran("lomarc", nil, nil, slowdown).jobs[2], 80)).equals(true)
    expect(takes(ran("lomarc", nil, { jobs[2] }, slowdown).jobs[1], 30)).equals(true)
  end)
end)

property("moldable jobs break no rule of groups", { runs = 20, jobs = 20, users = 3 }, function(workload)
  for i, j in ipairs(workload.jobs) do
    if i % 2 == 0 then j.sizes = ("%d:%g,%d:%g"):format(1, j.runtime * 2, 2, j.runtime) end
  end
  for policy, model in pairs { lomarc = "resources", glomarc_cst = "drawn", glomarc_ts = "drawn" } do
    local run = simulate { machine = workload.machine, jobs = workload.jobs, policy = policy,
      slowdown = { model = model } }
    expect(run).violates_nothing()
  end
end)

-- On equal nodes a search by instants chooses; where nodes are a kind, one by sizes.
property("moldable jobs have the sizes on equal nodes that they have on nodes of one kind", { runs = 40, jobs = 30 },
  function(workload)
    local of = {}
    for i, j in ipairs(workload.jobs) do
      local sizes, step = {}, 1 + i % 3
      for n = j.nodes, 14, step do
        local part = i % 7 == 0 and n % 4 == 0 and 1.2 or i % 5 == 0 and 0.5 or 0.2 + 0.8 * j.nodes / n
        sizes[#sizes + 1] = ("%d:%g"):format(n, math.ceil(j.runtime * part))
      end
      if #sizes > 3 and i % 2 == 0 then table.insert(sizes, 1, table.remove(sizes, 3)) end -- its own size stands first
      of[i] = { submit = j.submit, nodes = tonumber(sizes[1]:match "^%d+"), runtime = j.runtime, limit = j.limit,
        sizes = #sizes > 1 and i % 4 ~= 3 and table.concat(sizes, ",") or nil }
      if of[i].sizes then of[i].runtime, of[i].limit = tonumber(sizes[1]:match ":(.+)"), nil end
    end
    for _, policy in ipairs { "fcfs", "easy", "conservative" } do
      local one = simulate { machine = { nodes = 14 }, jobs = of, policy = policy }
      local other = simulate { machine = { nodes = { { name = "n", count = 14 } } }, jobs = of, policy = policy }
      expect(one).violates_nothing()
      expect(other).starts_like(one)
      for i, j in ipairs(one.jobs) do expect(other.jobs[i].finish).equals(j.finish) end
    end
  end)

--- Moldable jobs on equal nodes, some of which become faster with each node; some are elastic, end early or are
--- withdrawn, and all nodes may be down for a time.
local function random_moldable()
  local nodes, drawn, submit = math.random(2, 12), {}, 0
  for i = 1, math.random(3, 30) do
    submit = submit + (math.random(3) == 1 and 0 or math.random(0, 25))
    local own, runtime = math.random(1, nodes), math.random(1, 80)
    local limit = runtime + math.random(0, 1) * math.random(0, 40)
    local j = { submit = submit, nodes = own, runtime = runtime, limit = limit }
    if math.random(4) ~= 1 then
      local least = math.random(1, own)
      j.sizes = ("%d-%d amdahl %g"):format(least, math.random(own, nodes), math.random(0, 4) / 4)
      if math.random(4) == 1 then j.elastic = "any" end
    end
    if math.random(10) == 1 then j.withdrawn_at = submit + math.random(0, 50) end
    drawn[i] = j
  end
  local planned = {}
  for i = 1, math.random(0, 1) * math.random(0, 2) do
    planned[i] = { kind = "maintenance", from = math.random(0, 400), length = math.random(1, 60) }
  end
  return { nodes = nodes, jobs = drawn, planned = planned, seed = math.random(1000000) }
end

-- Where something will be away, each size is tried.
local far = { kind = "maintenance", from = 1e8, length = 1 }

--- The jobs with what each asks for.
local function asking(said_by_all, request)
  local all = {}
  for i, said in ipairs(said_by_all) do
    local j = { request = request(i) }
    for k, v in pairs(said) do j[k] = v end
    all[i] = j
  end
  return all
end

local function expect_alike(one, other)
  for i, job in ipairs(one.jobs) do
    expect(job.start).equals(other.jobs[i].start)
    expect(job.finish).equals(other.jobs[i].finish)
    expect(job.nodes).equals(other.jobs[i].nodes)
  end
end

--- Kinds of nodes on which jobs have parts of nodes, whole ones or licences, and some may run on one kind only.
local function random_moldable_on_kinds()
  local w = random_moldable()
  local first = math.random(1, w.nodes)
  w.machine = { nodes = { { name = "a", count = first, cores = math.random(1, 4), speed = math.random(1, 2) } },
    licences = { { name = "key", count = math.random(1, w.nodes) } } }
  if first < w.nodes then
    w.machine.nodes[2] = { name = "b", count = w.nodes - first, cores = math.random(1, 4), features = "new" }
  end
  w.requests = {}
  for i, j in ipairs(w.jobs) do
    local r = math.random(2) == 1 and { exclusive = true } or { cores = 1 }
    if math.random(4) == 1 then r.licences = { key = 1 } end
    if math.random(4) == 1 and j.nodes <= w.nodes - first then r.features = "new" end
    w.requests[i] = r
  end
  return w
end

--- EASY that takes jobs out of the queue for a time, and gives some another size.
local function holding(seed)
  local function draw(n)
    seed = (seed * 1103515245 + 12345) % 2147483648
    return (seed >> 12) % n + 1
  end
  local aside, last = {}, -1
  return { api = 1, name = "holding", version = "1",
    withdrawn = function(_, job) aside[job.id] = nil end,
    schedule = function(view)
      if view.now == last then return view:easy() end -- a release brings a pass
      last = view.now
      local waiting, held = {}, {}
      for j in view:waiting() do waiting[#waiting + 1] = j end
      for _, id in ipairs(table.keys(aside)) do view:release(aside[id]) end
      for _, j in ipairs(view.now < 300 and waiting or {}) do
        local sizes = view:sizes(j)
        if draw(4) == 1 then
          view:hold(j)
          held[j.id] = j
        elseif sizes and draw(8) == 1 then
          view:set_nodes(j, sizes[draw(#sizes)].nodes)
        end
      end
      aside = held
      if not table.is_empty(aside) then view:wake(view.now + draw(40)) end
      view:easy()
    end }
end

--- By instants on equal nodes, by sizes where each node has a key, and one by one where one will be away.
local function is_the_same(w, policy)
  local function run_on(machine, request, later)
    local planned = table.move(w.planned, 1, #w.planned, 1, { later })
    return simulate({ machine = machine, jobs = asking(w.jobs, function() return request end),
      outages = #planned > 0 and { planned = planned } or nil }, { policy = policy() })
  end
  local by_instants = run_on { nodes = w.nodes }
  local keys = { nodes = { { name = "n", count = w.nodes, cores = 1 } },
    licences = { { name = "key", count = w.nodes } } }
  local with_key = { exclusive = true, licences = { key = 1 } }
  expect_alike(by_instants, run_on(keys, with_key))
  expect_alike(by_instants, run_on(keys, with_key, far))
end

describe("the size with which a moldable job ends first", function()
  property("is the same by instants, by sizes and one by one, under a policy that holds jobs",
    { workload = random_moldable, runs = 100 }, function(w) is_the_same(w, function() return holding(w.seed) end) end)

  for _, policy in ipairs { "easy", "fcfs", "conservative", "easy_elastic" } do
    property("is the same by instants, by sizes and one by one, under " .. policy,
      { workload = random_moldable, runs = 60 }, function(w) is_the_same(w, function() return policy end) end)

    property("is the same by sizes and one by one on kinds of nodes, under " .. policy,
      { workload = random_moldable_on_kinds, runs = 60 }, function(w)
        local function run_with(later)
          return simulate({ machine = w.machine, jobs = asking(w.jobs, function(i) return w.requests[i] end),
            outages = later and { planned = { later } } or nil }, { policy = policy })
        end
        local run = run_with()
        expect(run).violates_nothing()
        expect_alike(run, run_with(far))
      end)
  end
end)
