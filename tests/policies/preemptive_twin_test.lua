-- The policy beside a simulation second by second, which tries all that may happen in each second anew.
local urgent = 1 -- queue

local Twin = {}
Twin.__index = Twin

function Twin.new(workload, params)
  local twin = setmetatable({ nodes = workload.machine.nodes, params = params, jobs = {}, running = {}, stopped = 0 },
    Twin)
  for i, j in ipairs(workload.jobs) do
    local limit = j.limit or j.runtime -- which a workload made smaller may leave out
    twin.jobs[i] = { id = i, nodes = j.nodes, submit = j.submit, urgent = j.queue == urgent,
                     work = math.min(j.runtime, limit), limit = limit,
                     saved = 0, starts = -1, ends = -1 }
  end
  return twin
end

function Twin:free()
  local free = self.nodes
  for _, j in ipairs(self.running) do free = free - j.nodes end
  return free
end

function Twin:start(job, now)
  local reading = job.saved > 0 and self.params.restart_cost or 0
  job.starts, job.ends = now, now + math.max(job.work - job.saved, 0) + reading
  job.expected = now + job.limit - job.saved + reading
  job.reading, job.waits, job.leaves, job.makes_way = reading, false, nil, nil
  table.insert(self.running, job)
end

function Twin:remove(job)
  for i, other in ipairs(self.running) do
    if other == job then return table.remove(self.running, i) end
  end
end

--- The job leaves its nodes; it comes back in the pass after this one.
function Twin:stop(job, now)
  self:remove(job)
  self.stopped = self.stopped + 1
  local how = self.params.how
  if how == "kill" then
    job.ends, job.over = now, true
    return
  end
  if how == "checkpoint" then
    job.saved = job.saved + math.max(math.max(now - job.starts - job.reading, 0) - self.params.checkpoint_cost, 0)
  end
  job.ends = -1
  self.again = self.again or {}
  table.insert(self.again, job)
end

--- Urgent jobs first, then in the order in which they came.
function Twin:waiting()
  local queue = {}
  for _, j in ipairs(self.jobs) do
    if j.waits then table.insert(queue, j) end
  end
  table.sort(queue, function(a, b)
    if a.urgent ~= b.urgent then return a.urgent end
    return a.id < b.id
  end)
  return queue
end

--- Every set of jobs that may be stopped, as few of the best by rank as it takes, then without those not needed.
function Twin:victims(job, now)
  local may = {}
  for i = #self.running, 1, -1 do
    local other = self.running[i]
    if not other.urgent and not other.leaves and now - other.starts >= self.params.min_run then
      table.insert(may, other)
    end
  end
  local rank = ({ ["least-lost"] = function(j) return (now - j.starts) * j.nodes end,
                  newest = function(j) return now - j.starts end,
                  ["fewest-nodes"] = function(j) return j.nodes end })[self.params.rank]
  local place = {}
  for i, j in ipairs(may) do place[j] = i end
  table.sort(may, function(a, b)
    if rank(a) ~= rank(b) then return rank(a) < rank(b) end
    return place[a] < place[b]
  end)
  local chosen, free = {}, self:free()
  for _, other in ipairs(may) do
    if free >= job.nodes then break end
    table.insert(chosen, other)
    free = free + other.nodes
  end
  if free < job.nodes then return {} end
  for i = #chosen, 1, -1 do
    if free - chosen[i].nodes >= job.nodes then free = free - table.remove(chosen, i).nodes end
  end
  return chosen
end

--- Whether the job starts.
function Twin:preempt(job, now)
  if job.nodes <= self:free() then
    self:start(job, now)
    return true
  end
  for _, other in ipairs(self.running) do
    if other.makes_way == job then return false end
  end
  local grace = self.params.grace
  if self.params.how == "checkpoint" then grace = math.max(grace, self.params.checkpoint_cost) end
  for _, other in ipairs(self:victims(job, now)) do
    if grace == 0 then
      self:stop(other, now)
    else
      other.leaves, other.makes_way = now + grace, job
      other.expected = math.min(other.expected, other.leaves)
    end
  end
  if job.nodes > self:free() then return false end
  self:start(job, now)
  return true
end

--- When the job can start by what is believed, and how many nodes are left over then.
function Twin:shadow(job)
  local ends = { table.unpack(self.running) }
  table.sort(ends, function(a, b) return a.expected < b.expected end)
  local free = self:free()
  for i, other in ipairs(ends) do
    free = free + other.nodes
    local last = not ends[i + 1] or ends[i + 1].expected > other.expected
    if free >= job.nodes and last then return other.expected, free - job.nodes end
  end
end

function Twin:easy(now)
  local head, shadow, extra
  for _, job in ipairs(self:waiting()) do
    local fits = job.nodes <= self:free()
    if not head and fits then
      self:start(job, now)
    elseif not head then
      head, shadow, extra = job, self:shadow(job)
    else
      local reading = job.saved > 0 and self.params.restart_cost or 0
      local ends_before = now + job.limit - job.saved + reading <= shadow
      if fits and (ends_before or job.nodes <= extra) then
        if not ends_before then extra = extra - job.nodes end
        self:start(job, now)
      end
    end
  end
end

function Twin:pass(now)
  for _, job in ipairs(self:waiting()) do
    local below = false
    for _, other in ipairs(self.running) do below = below or job.urgent and not other.urgent end
    if not below or not self:preempt(job, now) then break end
  end
  self:easy(now)
end

function Twin:second(now)
  for _, job in ipairs({ table.unpack(self.running) }) do
    if job.ends <= now then
      self:remove(job)
      job.over = true
    end
  end
  local going = {}
  for _, job in ipairs(self.running) do
    if job.leaves and job.leaves <= now then table.insert(going, job) end
  end
  for _, job in ipairs(going) do self:stop(job, now) end
  for _, job in ipairs(self.jobs) do
    if job.submit == now then job.waits = true end
  end
  repeat
    for _, job in ipairs(self.again or {}) do job.waits = true end
    self.again = nil
    self:pass(now)
  until not self.again
end

function Twin:run()
  local now, over = 0, 0
  while over < #self.jobs do
    self:second(now)
    over = 0
    for _, job in ipairs(self.jobs) do over = over + (job.over and 1 or 0) end
    now = now + 1
    if now > 100000 then error("the twin does not come to an end") end
  end
  return self
end

--- Many small jobs and some urgent ones of any size, on few nodes: most urgent ones have to stop others.
local function random_workload()
  local nodes, jobs, submit = math.random(2, 9), {}, 0
  for i = 1, math.random(4, 16) do
    submit = submit + (math.random(2) == 1 and 0 or math.random(0, 6))
    local is_urgent, limit = math.random(4) == 1, math.random(4, 24)
    jobs[i] = job{submit=submit, nodes=math.random(1, math.random(3) == 1 and nodes or is_urgent and nodes or 2),
                  runtime=math.random(2) == 1 and limit or math.random(1, 26), limit=limit,
                  queue=is_urgent and urgent or 2}
  end
  return { machine = { nodes = nodes }, jobs = jobs }
end

for _, how in ipairs { "requeue", "checkpoint", "kill" } do
  for _, rank in ipairs { "least-lost", "newest", "fewest-nodes" } do
    for _, times in ipairs { { 0, 0 }, { 3, 0 }, { 0, 4 }, { 2, 3 } } do
      local params = { how = how, rank = rank, min_run = times[1], grace = times[2], urgent_queue = urgent,
                       checkpoint_cost = how == "checkpoint" and 2 or 0, restart_cost = how == "checkpoint" and 1 or 0 }
      property(("%s, %s, after %d s, grace %d s"):format(how, rank, times[1], times[2]),
        { workload = random_workload, runs = 12 }, function(workload)
          local ran = simulate(workload, { policy = { name = "preemptive", params = params } })
          local twin = Twin.new(workload, params):run()
          local starts, ends, expected_starts, expected_ends = {}, {}, {}, {}
          for i, j in ipairs(twin.jobs) do
            starts[i], ends[i] = ran.jobs[i].start, ran.jobs[i].finish
            expected_starts[i], expected_ends[i] = j.starts, j.ends
          end
          expect(table.concat(starts, " ")).equals(table.concat(expected_starts, " "))
          expect(table.concat(ends, " ")).equals(table.concat(expected_ends, " "))
          if twin.stopped > 0 then expect(ran.summary.preemptions.stopped).equals(twin.stopped) end
        end)
    end
  end
end
