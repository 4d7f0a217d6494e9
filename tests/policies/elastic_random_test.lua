-- Elastic jobs whose policy changes its mind at random, beside whatever else the machine, its jobs and the engine do.
local function choice(of) return of[math.random(#of)] end

--- As jobs say them: with steps or parts that lie anywhere, and costs that are zero, less and more than the rest.
local function random_elastic()
  local where = choice { "any", "any", "steps " .. math.random(2, 6), "at 0.3", "at 0.11,0.5,0.77" }
  local cost = choice { "", "", " cost 3", " cost 0.5+0.25", " cost 0+1", " cost 40" }
  local asks = not where:find("steps") and math.random(3) == 1 and " asks 0.25:1,0.6:4" or ""
  return where .. cost .. asks
end

local function random_sizes(nodes, own, runtime)
  local least, most = math.random(1, own), math.random(own, nodes)
  local kind = math.random(5)
  if kind == 1 then return ("%d-%d"):format(least, most) end
  if kind == 2 then
    return ("%d-%d downey %g %g"):format(least, most, math.random(1, nodes), math.random(0, 30) / 10)
  end
  if kind == 3 then -- some are slower with more nodes, some nearly stand still, some are over in no time
    local all = { ("%d:%g"):format(own, runtime) }
    for n = 1, nodes do
      if n ~= own and math.random(2) == 1 then
        all[#all + 1] = ("%d:%g"):format(n, choice { runtime * math.random(1, 30) / 10, runtime * 37, runtime / 1000 })
      end
    end
    return table.concat(all, ",")
  end
  return ("%d-%d amdahl %g"):format(least, most, choice { 0, 0.5, 0.9, 0.97, 1 })
end

local function random_job(nodes, submit, id)
  local own, runtime = math.random(1, nodes), math.random(1, 60)
  local j = { submit = submit, nodes = own, runtime = runtime, user = math.random(3), queue = math.random(2) }
  j.limit = choice { runtime, runtime + math.random(0, 40), runtime * 3, math.random(1, 60) }
  if math.random(3) ~= 1 then
    j.sizes = random_sizes(nodes, own, runtime)
    if math.random(5) ~= 1 then j.elastic = random_elastic() end
  end
  if id > 2 and math.random(8) == 1 then j.depends = "afterany:" .. math.random(1, id - 1) end
  if math.random(12) == 1 then j.withdrawn_at = submit + math.random(0, 50) end
  return j
end

local function random_engine()
  local e = { molding = choice { "asked", "ends-first", "fits-now" } }
  if math.random(4) == 1 then
    e.at_limit = "extend"
    return e
  end
  if math.random(4) == 1 then e.over_limit = math.random(1, 30) end
  if math.random(4) == 1 then e.kill_wait = math.random(1, 20) end
  if math.random(4) == 1 then e.limit_check = math.random(1, 40) end
  return e
end

local function random_outages(nodes)
  if math.random(3) ~= 1 then return nil end
  local planned = {}
  for i = 1, math.random(1, 6) do
    planned[i] = { kind = choice { "failure", "drain" }, nodes = { tostring(math.random(0, nodes - 1)) },
      from = math.random(0, 200), length = math.random(1, 60) }
  end
  return { planned = planned, interrupted = choice { "requeue", "requeue", "lose" } }
end

--- Slices of two classes, or of one, that give nodes to others now and then.
local function random_slices()
  local classes = { { name = "short", up_to = math.random(10, 40), share = math.random(1, 3) }, { name = "long" } }
  if math.random(3) == 1 then classes[1].share, classes[1].on_demand, classes[1].longest = nil, true, 15 end
  if math.random(5) == 1 then table.remove(classes, 1) end
  local overhead = math.random(0, 1) * math.random(0, 4)
  return { interval = math.random(40, 160), overhead = overhead, classes = classes,
    charge_continuing = math.random(2) == 1, foreign = choice { "none", "safe", "safe" }, evict = math.random(3) ~= 1,
    nodes = choice { "first-free", "fewest-foreign" } }
end

local function random_workload()
  local nodes, jobs, submit = math.random(2, 9), {}, 0
  for i = 1, math.random(2, 14) do
    submit = submit + (math.random(2) == 1 and 0 or math.random(0, 20))
    jobs[i] = random_job(nodes, submit, i)
  end
  local power = { idle = math.random(0, 9), boot = math.random(0, 15), shutdown = math.random(0, 5) }
  return { machine = { nodes = nodes }, jobs = jobs, seed = math.random(1, 1000000), engine = random_engine(),
    outages = random_outages(nodes), power = math.random(4) == 1 and power or nil }
end

--- Nodes of one or two kinds; some are faster. Where no job has parts of them, one of the kinds has a feature.
local function random_kinds(nodes, parts)
  local first = math.random(1, nodes)
  local function kind(name, count, features)
    return { name = name, count = count, cores = parts and math.random(2, 6) or 1,
      gpus = parts and choice { 0, 1, 2, 4 } or nil, features = not parts and features or nil,
      speed = choice { 1, 1, 0.5, 2 } }
  end
  local machine = { nodes = { kind("a", first) } }
  if first < nodes then machine.nodes[2] = kind("b", nodes - first, { "old" }) end
  if math.random(4) == 1 then machine.licences = { { name = "key", count = math.random(1, 4) } } end
  if first < nodes and math.random(4) == 1 then
    machine.partitions = { { name = "all", default = true }, { name = "back", nodes = { "b" } } }
  end
  return machine
end

--- What a job asks of each of its nodes.
local function random_request(machine, parts)
  local r = { exclusive = not parts or math.random(8) == 1 or nil }
  local kind = choice(machine.nodes)
  if parts and not r.exclusive then
    r.cores = math.random(1, kind.cores)
    if kind.gpus > 0 and math.random(3) ~= 1 then
      r.gpus = math.random(1, kind.gpus)
      r.gpu_share = math.random(4) == 1 and 0.5 or nil
    end
  elseif not parts and #machine.nodes == 2 and math.random(3) == 1 then
    r.features = "old"
  end
  if machine.licences and math.random(2) == 1 then r.licences = { key = math.random(1, machine.licences[1].count) } end
  if machine.partitions and math.random(3) == 1 then r.partition = "back" end
  return r
end

--- How many nodes there are for the request.
local function capable(machine, r)
  local count = 0
  for _, kind in ipairs(machine.nodes) do
    local fits = kind.cores >= (r.cores or 1) and (kind.gpus or 0) >= (r.gpus or 0)
    if fits and (not r.features or kind.features) and (not r.partition or kind.name == "b") then
      count = count + kind.count
    end
  end
  return count
end

--- A request for a job of so many nodes that can run.
local function fitting_request(machine, parts, nodes)
  for _ = 1, 9 do
    local r = random_request(machine, parts)
    if capable(machine, r) >= nodes then return r end
  end
  return { exclusive = not parts or nil, cores = parts and 1 or nil }
end

--- On a machine of kinds, where jobs have parts of nodes or not.
local function random_on_kinds(parts)
  local w = random_workload()
  local nodes = w.machine.nodes
  w.machine, w.parts = random_kinds(nodes, parts), parts
  for _, j in ipairs(w.jobs) do j.request = fitting_request(w.machine, parts, j.nodes) end
  local function some_node()
    local kind = choice(w.machine.nodes)
    return kind.name .. (kind.count > 1 and math.random(kind.count) or "")
  end
  for _, o in ipairs(w.outages and w.outages.planned or {}) do o.nodes = { some_node() } end
  if w.outages and math.random(2) == 1 then
    table.insert(w.outages.planned, { kind = "maintenance", nodes = { some_node() }, from = math.random(50, 200),
      length = math.random(1, 60) })
  end
  if math.random(4) == 1 then
    w.reservations = { { name = "course", nodes = { some_node() }, from = math.random(20, 200),
      length = math.random(1, 100), users = { math.random(3) } } }
  end
  return w
end

local function random_sliced()
  local workload = random_workload()
  workload.slices = random_slices()
  return workload
end

--- What a workload that was made smaller has left out, others do not ask for.
local function whole(workload)
  local w, jobs = {}, {}
  for k, v in pairs(workload) do w[k] = v end
  w.parts = nil
  for i, said in ipairs(workload.jobs) do
    local j = {}
    for k, v in pairs(said) do j[k] = v end
    local on = j.depends and tonumber(j.depends:match("%d+"))
    if on and on >= i then j.depends = nil end
    if not j.sizes then j.elastic = nil end
    jobs[i] = j
  end
  w.jobs = jobs
  if workload.outages then
    local planned = {}
    for i, o in ipairs(workload.outages.planned) do
      local number = tonumber(o.nodes[1])
      local node = number and tostring(number % workload.machine.nodes) or o.nodes[1]
      planned[i] = { kind = o.kind, nodes = { node }, from = o.from, length = o.length }
    end
    w.outages = { planned = planned, interrupted = workload.outages.interrupted }
  end
  return w
end

--- A run of it breaks no rule, and comes out alike again. `policy` makes the policy anew.
local function keeps_rules(workload, policy)
  local run = simulate(workload, { policy = policy() })
  expect(run).violates_nothing()
  expect(run.fingerprint).equals(simulate(workload, { policy = policy() }).fingerprint)
end

--- What the view says of all elastic jobs together is what it says of each.
local function adds_up(view)
  local spare, more, leaving, count = 0, 0, 0, 0
  for job, nodes, least, most in view:elastic() do
    local has, ordered = view:nodes(job)
    expect(nodes).equals(ordered)
    expect(least).equals(view:size(job, 0))
    expect(most).equals(view:size(job))
    spare, more, leaving = spare + nodes - least, more + most - nodes, leaving + math.max(has - nodes, 0)
    count = count + 1
  end
  expect({ view:elastic_room() }).equals { spare, more, leaving }
  for job in view:running() do
    if job.elastic ~= "" and view:nodes(job) then count = count - 1 end
  end
  expect(count).equals(0)
end

--- Resizes, suspends, stops and preempts for so many passes; then all jobs go on.
local function changeable(seed, acts, slices)
  local state, left
  local function draw(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return (state >> 12) % n + 1
  end
  local function resize(view, job, sizes)
    local n = sizes[draw(#sizes)].nodes
    local has, ordered = view:nodes(job)
    if not has then return end -- it is suspended, or stopped in this pass
    local more = n - math.max(has, ordered)
    local can = view:can_resize(job, n)
    local ok, now = pcall(view.resize, view, job, n)
    local free = math.max(view.free, 0) -- a node that is to go with its foreign job counts twice
    if more > free + (ok and math.max(more, 0) or 0) and not acts.parts then expect(ok).is_false() end
    if not ok then return expect(can).is_false() end
    local has_now, ordered_now = view:nodes(job)
    expect(ordered_now).equals(n)
    expect(has_now).equals(now and n or has)
    expect(job.nodes).equals(has_now)
  end
  local function act(view, job)
    local what = draw(12)
    if what == 1 and acts.turns then pcall(view.suspend, view, job)
    elseif what == 2 then view:resume(job)
    elseif what == 3 and acts.stops then
      local saves = draw(2) == 1
      pcall(view.requeue, view, job, { grace = draw(3) == 1 and draw(20) or nil, checkpoint = saves,
        cost = saves and draw(3) or nil, restart = saves and draw(3) or nil })
    elseif what == 4 and acts.kills then
      pcall(view.kill, view, job, { grace = draw(2) == 1 and draw(20) or nil }) -- suspended ones keep their nodes
    elseif what >= 5 and job.elastic ~= "" then
      local sizes = view:sizes(job)
      if sizes then resize(view, job, sizes) end
    end
  end
  return {
    api = 1, name = "changeable", version = "1", slices = slices,
    begin = function() state, left = seed, 60 end,
    estimate = acts.estimates and function(j) return 1 + (j.id * 7) % 50 end or nil,
    resized = function(_, j, before) expect(j.nodes == before).is_false() end,
    asks = function(_, _, nodes) expect(nodes == 1 or nodes == 4).is_true() end,
    schedule = function(view)
      adds_up(view)
      if left > 0 then
        left = left - 1
        local waiting, running = {}, {}
        for j in view:waiting() do waiting[#waiting + 1] = j end
        for _, j in ipairs(waiting) do
          if acts.loans and draw(6) == 1 then
            local how = ({ "requeue", "checkpoint", not acts.parts and "suspend" or "requeue" })[draw(3)]
            view:preempt(j, { how = how, grace = how ~= "suspend" and draw(3) == 1 and draw(20) or nil })
          end
        end
        for j in view:running() do running[#running + 1] = j end
        for _, j in ipairs(running) do act(view, j) end
        view:wake(view.now + draw(12))
      else
        for j in view:running() do view:resume(j) end
      end
      if left == 0 then
        local waiting = {}
        for j in view:waiting() do waiting[#waiting + 1] = j end
        for _, j in ipairs(waiting) do view:unreserve(j) end
        return view:easy()
      end
      local base = acts.base or ({ "easy", "conservative", "order", "reserve" })[draw(4)]
      if view.due then view:start_due() end
      if base == "easy" then view:easy()
      elseif base == "conservative" then view:conservative()
      elseif base == "order" then view:start_in_order()
      else
        local head = view:start_in_order()
        if head and not view:reservation(head) then view:reserve(head, view:earliest(head)) end
      end
      if left > 0 and acts.late then -- those that have just started, too
        for j in view:running() do
          if draw(3) == 1 and j.elastic ~= "" and view:sizes(j) then resize(view, j, view:sizes(j)) end
        end
      end
      adds_up(view)
    end,
  }
end

local kinds = {
  { name = "resized", acts = {} },
  { name = "resized when they start", acts = { late = true } },
  { name = "under EASY", acts = { base = "easy", late = true } },
  { name = "under conservative backfilling", acts = { base = "conservative", late = true } },
  { name = "with estimates of the policy's own", acts = { estimates = true, late = true } },
  { name = "suspended", acts = { turns = true, late = true } },
  { name = "preempted", acts = { loans = true, late = true } },
  { name = "requeued", acts = { stops = true, late = true } },
  { name = "killed", acts = { kills = true, late = true } },
  { name = "whatever happens to them", acts = { turns = true, loans = true, stops = true, kills = true, late = true,
    estimates = true } },
}

describe("elastic jobs break no rule,", function()
  for _, kind in ipairs(kinds) do
    property(kind.name, { workload = random_workload, runs = 40 }, function(workload)
      workload = whole(workload)
      keeps_rules(workload, function() return changeable(workload.seed, kind.acts) end)
    end)

    property(kind.name .. ", in time slices", { workload = random_sliced, runs = 40 }, function(workload)
      workload = whole(workload)
      local slices = workload.slices
      workload.slices = nil
      keeps_rules(workload, function() return changeable(workload.seed, kind.acts, slices) end)
    end)
  end
end)

--- The same where jobs have parts of nodes, or wait for licences.
local function with_parts(acts, workload)
  local all = { parts = workload.parts or workload.machine.licences ~= nil }
  for k, v in pairs(acts) do all[k] = v end
  return all
end

describe("elastic jobs break no rule on nodes of several kinds,", function()
  for _, kind in ipairs(kinds) do
    for _, parts in ipairs { false, true } do
      local name = kind.name .. (parts and ", with parts of nodes" or "")
      property(name, { workload = function() return random_on_kinds(parts) end, runs = 40 }, function(workload)
        local acts = with_parts(kind.acts, workload)
        workload = whole(workload)
        keeps_rules(workload, function() return changeable(workload.seed, acts) end)
      end)
    end
  end
end)

--- No policy resizes them: without `elastic` they do the same.
local function run_as_rigid(workload, policy)
  for _, j in ipairs(workload.jobs) do j.elastic = j.elastic and j.elastic:gsub(" asks .*", "") end -- a pass follows
  local run = simulate(workload, { policy = policy })
  expect(run).violates_nothing()
  local rigid = {}
  for i, j in ipairs(workload.jobs) do
    rigid[i] = {}
    for k, v in pairs(j) do
      if k ~= "elastic" then rigid[i][k] = v end
    end
  end
  local plain = simulate(workload, { policy = policy, jobs = rigid })
  expect(run.fingerprint).equals(plain.fingerprint)
  for i, j in ipairs(run.jobs) do expect(j.finish).equals(plain.jobs[i].finish) end
end

property("jobs that are not resized run as if they were not elastic", { workload = random_workload, runs = 40 },
  function(workload)
    workload = whole(workload)
    for _, policy in ipairs { "fcfs", "easy", "conservative", "preemptive" } do run_as_rigid(workload, policy) end
  end)

property("jobs that are not resized run on nodes of several kinds as if they were not elastic",
  { workload = function() return random_on_kinds(math.random(2) == 1) end, runs = 40 }, function(workload)
    workload = whole(workload)
    for _, policy in ipairs { "fcfs", "easy", "conservative" } do run_as_rigid(workload, policy) end
  end)

property("jobs that are not resized run in time slices as if they were not elastic",
  { workload = random_sliced, runs = 40 }, function(workload)
    workload = whole(workload)
    local slices = workload.slices
    workload.slices = nil
    for _, backfill in ipairs { "none", "easy", "conservative" } do
      run_as_rigid(workload, { api = 1, name = "sliced", version = "1", backfill = backfill, slices = slices })
    end
    run_as_rigid(workload, "scojo_pect")
  end)

--- Parameters of the policy, other ones for each workload.
local function drawn_params(policy, seed)
  if policy ~= "posner" then return nil end
  local function one_of(list) return list[seed % #list + 1] end
  return { rule = one_of { "min", "pref", "average", "rigid_easy_backfill", "rigid_backfill" },
    promise = one_of { "agreement", "steal_agreement", "common_pool" }, event_by_event = seed % 4 == 0,
    skip_after_start = seed % 11 == 0, period = seed % 9 == 0 and 60 or 0 }
end

for _, policy in ipairs { "easy_elastic", "equipartition", "posner" } do
  local function built_in(workload) return { name = policy, params = drawn_params(policy, workload.seed) } end

  property(policy .. " breaks no rule", { workload = random_workload, runs = 60 },
    function(workload) keeps_rules(whole(workload), function() return built_in(workload) end) end)

  property(policy .. " breaks no rule on nodes of several kinds",
    { workload = function() return random_on_kinds(math.random(3) ~= 1) end, runs = 60 },
    function(workload) keeps_rules(whole(workload), function() return built_in(workload) end) end)

  property(policy .. " breaks no rule in time slices", { workload = random_sliced, runs = 60 }, function(workload)
    workload = whole(workload)
    local slices = workload.slices
    workload.slices, slices.scheduler = nil, policy
    keeps_rules(workload, function() return { api = 1, name = "sliced", version = "1", slices = slices } end)
  end)
end
