-- Elastic jobs beside a simulation of the same that is written from their description: first come, first served, and
-- at each full second running jobs are resized, suspended and let go on at random. Work is counted in whole numbers:
-- at a size of speed s a job does s units in a nanosecond. In slices of one class that cost nothing, all is the same,
-- but that policies let no job stand still. Where nodes have several cores, a job has so many of each of its nodes.
local second = 1000000000
local smallest_work = 27720 * 1000000 -- divisible by all speeds and numbers of steps

--- A number from 1 to n that both simulations draw alike.
local function drawn(seed, job, now, what, n)
  local x = seed * 7919 + job * 104729 + now // second * 1299709 + what * 15485863
  for _ = 1, 3 do x = (x * 1103515245 + 12345) % 2147483648 end
  return (x >> 8) % n + 1
end

--- What is done with a running job at that second.
local function act(seed, job, now, sliced)
  local n = drawn(seed, job, now, 1, 40)
  return n <= 5 and "resize" or n == 6 and not sliced and "suspend" or "nothing"
end

local function seconds(ms) return ("%d.%03d"):format(ms // 1000, ms % 1000) end

--- A job: its `speeds` by number of nodes, and what it says of them.
local function random_job(nodes, submit, cores)
  local j = { nodes = math.random(1, nodes), submit = submit, speeds = {}, more = {}, cores = math.random(1, cores) }
  local work = smallest_work * math.random(1, 12)
  local own = ({ 1, 2, 4, 8 })[math.random(4)] -- at which rates are binary fractions
  j.speeds[j.nodes] = own
  local function runtime(speed) return work // speed // 1000000 end
  j.runtime = runtime(own)
  j.limit = math.random(4) == 1 and math.random(1, j.runtime) or j.runtime + math.random(0, 9999)
  local sizes = { ("%d:%s"):format(j.nodes, seconds(j.runtime)) }
  for n = 1, nodes do
    if n ~= j.nodes and math.random(3) ~= 1 then
      j.speeds[n] = math.random(1, 12)
      sizes[#sizes + 1] = ("%d:%s"):format(n, seconds(runtime(j.speeds[n])))
    end
  end
  if math.random(6) == 1 then return j end
  j.sizes = table.concat(sizes, ",")
  j.cost, j.cost_of_node = ({ 0, 0, 250, 3000 })[math.random(4)], ({ 0, 100 })[math.random(2)]
  local kind = math.random(3)
  if kind == 1 then
    j.steps = ({ 2, 3, 4, 5, 6, 8 })[math.random(6)]
    j.elastic = "steps " .. j.steps
  elseif kind == 2 then
    j.parts = ({ { 30 }, { 10, 75 }, { 5, 50, 90 } })[math.random(3)]
    local said = {}
    for i, p in ipairs(j.parts) do said[i] = ("0.%02d"):format(p) end
    j.elastic = "at " .. table.concat(said, ",")
  else
    j.elastic = "any"
  end
  j.elastic = j.elastic .. (" cost %s+%s"):format(seconds(j.cost), seconds(j.cost_of_node))
  if kind ~= 1 and math.random(2) == 1 then
    j.wishes = { { part = 20, nodes = math.random(1, nodes) }, { part = 60, nodes = math.random(1, nodes) } }
    j.elastic = j.elastic .. (" asks 0.20:%d,0.60:%d"):format(j.wishes[1].nodes, j.wishes[2].nodes)
  end
  return j
end

local Twin = {}
Twin.__index = Twin

function Twin.new(nodes, jobs, seed, sliced, cores)
  local twin = setmetatable({ nodes = nodes, seed = seed, sliced = sliced, jobs = {}, running = {}, queue = {},
    now = 0, left = {} }, Twin)
  for n = 1, nodes do twin.left[n] = cores end
  for i, j in ipairs(jobs) do
    local own = j.speeds[j.nodes]
    local all = j.runtime * 1000000 * own
    local job = { id = i, said = j, submit = j.submit * second, has = j.nodes, all = all, cut = j.limit < j.runtime,
      most = math.min(j.runtime, j.limit) * 1000000 * own, points = {}, wishes = {} }
    if j.steps then
      for k = 1, j.steps - 1 do job.points[k] = all * k // j.steps end
    end
    local parts = {}
    for _, p in ipairs(j.parts or {}) do parts[#parts + 1] = p end
    for _, w in ipairs(j.wishes or {}) do
      job.wishes[#job.wishes + 1] = { at = all * w.part // 100, nodes = w.nodes }
      if j.parts then parts[#parts + 1] = w.part end -- where it asks, it may change
    end
    table.sort(parts)
    for _, p in ipairs(parts) do
      local at = all * p // 100
      if job.points[#job.points] ~= at then job.points[#job.points + 1] = at end
    end
    twin.jobs[i] = job
  end
  return twin
end

--- So many nodes that have room for the job and that it has not, `first` before the lowest; nil: there are fewer.
function Twin:more_nodes(job, count, first)
  local found, has = {}, {}
  for _, n in ipairs(job.on or {}) do has[n] = true end
  for _, n in ipairs(first or {}) do
    if #found < count then found[#found + 1], has[n] = n, true end
  end
  for n = 1, self.nodes do
    if #found == count then break end
    if not has[n] and self.left[n] >= job.said.cores then found[#found + 1] = n end
  end
  return #found == count and found or nil
end

--- Takes the job's part of these nodes, or gives it back.
function Twin:take(job, nodes, sign)
  for _, n in ipairs(nodes or {}) do self.left[n] = self.left[n] - sign * job.said.cores end
end

--- When so much will be done, to the nearest nanosecond.
local function instant(job, work)
  local speed = job.said.speeds[job.has]
  return job.since + (2 * (work - job.done) + speed) // (2 * speed)
end

--- Counts what has been done. The job is at its points to the nanosecond, and at each once.
function Twin:count(job)
  if job.suspended or self.now <= job.since then return end
  for i = #job.points, 1, -1 do
    local t = instant(job, job.points[i])
    if t <= self.now then job.passed = math.max(job.passed, i) end
    if t == self.now then job.there, job.reached = i, t end
  end
  job.done = job.done + (self.now - job.since) * job.said.speeds[job.has]
  job.since = self.now
end

--- When the job may change next, from now on; nil: never.
function Twin:point(job)
  if job.suspended then return nil end
  if not (job.said.steps or job.said.parts) then return self.now end
  for i, work in ipairs(job.points) do
    local t = job.there == i and job.reached or i > job.passed and instant(job, work)
    if t and t >= self.now then return t < job.ends and t or nil end
  end
end

function Twin:plan(job)
  job.ends = job.suspended and math.maxinteger or instant(job, job.most)
end

--- The order is void.
function Twin:take_back(job)
  self:take(job, job.kept, -1)
  job.ordered, job.kept = nil, nil
end

function Twin:change(job)
  local nodes = job.ordered
  for _, n in ipairs(job.kept or {}) do job.on[#job.on + 1] = n end
  table.sort(job.on)
  self:take(job, table.move(job.on, nodes + 1, #job.on, 1, {}), -1)
  for i = #job.on, nodes + 1, -1 do job.on[i] = nil end
  job.ordered, job.kept = nil, nil
  self:count(job)
  local stop = job.said.cost + job.said.cost_of_node * math.abs(nodes - job.has)
  job.has = nodes
  job.since = math.max(job.since, self.now) + stop * 1000000
  self:plan(job)
end

function Twin:resize(job, nodes)
  local more = self:more_nodes(job, math.max(nodes - job.has, 0), job.kept)
  if not more then return end
  self:take_back(job)
  if nodes == job.has then return end
  table.sort(more)
  job.ordered, job.kept = nodes, more
  self:take(job, more, 1)
  if job.ordered and self:point(job) == self.now then self:change(job) end
end

function Twin:start_in_order()
  while self.queue[1] do
    local job = self.queue[1]
    job.on = self:more_nodes(job, job.has)
    if not job.on then return end
    self:take(job, job.on, 1)
    table.remove(self.queue, 1)
    job.start, job.since, job.done, job.passed, job.wished = self.now, self.now, 0, 0, 0
    self:plan(job)
    table.insert(self.running, job)
  end
end

function Twin:tick()
  for _, job in ipairs({ table.unpack(self.running) }) do
    local what = act(self.seed, job.id, self.now, self.sliced)
    if job.suspended then
      if drawn(self.seed, job.id, self.now, 2, 4) == 1 then
        job.suspended = nil
        job.since = self.now + job.still
        self:plan(job)
      end
    elseif what == "suspend" then
      self:count(job)
      self:take_back(job)
      job.still = math.max(job.since - self.now, 0)
      job.suspended = true
      self:plan(job)
    elseif what == "resize" and job.said.elastic then
      local sizes = {}
      for n = 1, self.nodes do
        if job.said.speeds[n] then sizes[#sizes + 1] = n end
      end
      local wanted = job.wanted and job.said.speeds[job.wanted] and job.wanted
      self:resize(job, wanted or sizes[drawn(self.seed, job.id, self.now, 3, #sizes)])
      job.wanted = nil
    end
  end
end

function Twin:next_wish(job)
  local wish = not job.suspended and job.wishes[job.wished + 1]
  local t = wish and instant(job, wish.at)
  return t and t < job.ends and t
end

function Twin:run()
  local over = 0
  while over < #self.jobs do
    local t = (self.now // second + 1) * second
    for _, job in ipairs(self.jobs) do
      if not job.start and job.submit > self.now then t = math.min(t, job.submit) end
    end
    for _, job in ipairs(self.running) do
      t = math.min(t, job.ends)
      local change, wish = job.ordered and self:point(job), self:next_wish(job)
      if change then t = math.min(t, change) end
      if wish then t = math.min(t, wish) end
    end
    if not self.begun then t, self.begun = 0, true end
    self.now = t
    for i = #self.running, 1, -1 do
      local job = self.running[i]
      if job.ends <= t then
        job.finish = t
        self:take_back(job)
        self:take(job, job.on, -1)
        table.remove(self.running, i)
        over = over + 1
      end
    end
    for _, job in ipairs(self.running) do
      while self:next_wish(job) and self:next_wish(job) <= t do
        job.wished = job.wished + 1
        job.wanted = job.wishes[job.wished].nodes
      end
      if job.ordered and self:point(job) == t then self:change(job) end
    end
    for _, job in ipairs(self.jobs) do
      if job.submit == t then table.insert(self.queue, job) end
    end
    self:start_in_order()
    if t % second == 0 then
      self:tick()
      self:start_in_order()
    end
  end
  return self
end

--- The policy that does the same.
local function policy(seed, sliced)
  local wanted, acted = {}, nil
  return {
    api = 1, name = "by_the_second", version = "1",
    slices = sliced and { interval = sliced, overhead = 0, classes = { { name = "all", share = 1 } } } or nil,
    asks = function(_, job, nodes) wanted[job.id] = nodes end,
    schedule = function(view)
      local now = math.floor(view.now * 1e9 + 0.5)
      view:start_in_order()
      if now % second == 0 and acted ~= now then
        acted = now
        local running = {}
        for job in view:running() do running[#running + 1] = job end
        for _, job in ipairs(running) do
          local what, suspended = act(seed, job.id, now, sliced), job.suspended_here
          if suspended then
            if drawn(seed, job.id, now, 2, 4) == 1 then
              job.suspended_here = nil
              view:resume(job)
            end
          elseif what == "suspend" then
            job.suspended_here = true
            view:suspend(job)
          elseif what == "resize" and job.elastic ~= "" then
            local sizes, has = {}, {}
            for _, s in ipairs(view:sizes(job)) do sizes[#sizes + 1], has[s.nodes] = s.nodes, true end
            table.sort(sizes)
            local nodes = has[wanted[job.id]] and wanted[job.id] or sizes[drawn(seed, job.id, now, 3, #sizes)]
            wanted[job.id] = nil
            pcall(view.resize, view, job, nodes) -- more than are free it cannot have
          end
        end
        view:start_in_order()
      end
      view:wake(now // second + 1)
    end,
  }
end

local function compare(runs, sliced, cores)
  local resized = 0
  for _ = 1, runs do
    local nodes, jobs, submit, told = math.random(2, 8), {}, 0, {}
    for i = 1, math.random(1, 9) do
      submit = submit + (math.random(2) == 1 and 0 or math.random(0, 12))
      jobs[i] = random_job(nodes, submit, cores or 1)
      local j = jobs[i]
      told[i] = { submit = j.submit, nodes = j.nodes, runtime = j.runtime / 1000, limit = j.limit / 1000,
        sizes = j.sizes, elastic = j.elastic, request = cores and { cores = j.cores } or nil }
    end
    jobs[1].submit, told[1].submit = 0, 0
    local seed = math.random(1, 100000)
    local machine = { nodes = cores and { { name = "n", count = nodes, cores = cores } } or nodes }
    local run = simulate { machine = machine, jobs = told, engine = { molding = "asked" },
      policy = policy(seed, sliced) }
    expect(run).violates_nothing()
    local twin = Twin.new(nodes, jobs, seed, sliced, cores or 1):run()
    local starts, ends = {}, {}
    for i, job in ipairs(twin.jobs) do
      starts[i], ends[i] = job.start / 1e9, job.finish / 1e9
      if job.has ~= job.said.nodes then resized = resized + 1 end
      expect(run.jobs[i].state).equals(job.cut and "killed" or "completed")
    end
    expect(run).starts(starts)
    expect(run).finishes(ends)
  end
  expect(resized).greater_than(runs // 2)
end

for part = 1, 20 do
  it("elastic jobs start and end as in a simulation of their description, part " .. part, function() compare(30) end)
end

for part = 1, 20 do
  it("elastic jobs with parts of nodes start and end as in a simulation of their description, part " .. part,
    function() compare(30, nil, 1 + part % 4) end)
end

for _, interval in ipairs { 1, 2, 3.7, 10 } do
  it(("elastic jobs start and end alike in slices of %g s"):format(interval), function() compare(30, interval) end)
end
