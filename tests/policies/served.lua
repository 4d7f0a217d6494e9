-- Claims on the order in which a policy serves its queue.
local served = {}

--- Workloads whose jobs run one at a time on ten nodes, so that each start shows which was first of the queue.
--- `from`: when the first may arrive, s.
function served.workload(from)
  local jobs, submit = {}, from or 0
  for i = 1, 12 do
    submit = submit + math.random(0, 30)
    local runtime = math.random(200)
    jobs[i] = { submit = submit, nodes = math.random(6, 10), runtime = runtime, limit = runtime + math.random(0, 50),
                user = math.random(3) }
  end
  return { machine = { nodes = 10 }, jobs = jobs }
end

--- Fails unless the job that starts has the lowest score of those that wait. `score(job, now, run)` is asked for both.
function served.in_order_of(score, run)
  for _, first in ipairs(run.jobs) do
    local now = first.start
    for _, other in ipairs(run.jobs) do
      if other.start > now and other.submit <= now then
        local a, b = score(first, now, run), score(other, now, run)
        if a > b + 1e-9 * math.max(math.abs(a), math.abs(b)) then
          error(("at %s s job %d starts with score %s before job %d with %s"):format(now, first.id, a, other.id, b), 2)
        end
      end
    end
  end
end

--- Decayed node-seconds of the jobs that the filter takes, at that time.
function served.usage(run, now, half_life, filter)
  local rate, sum = math.log(2) / half_life, 0
  for _, job in ipairs(run.jobs) do
    if job.start < now and filter(job) then
      local finish = math.min(job.finish, now)
      sum = sum + job.nodes * (math.exp(-rate * (now - finish)) - math.exp(-rate * (now - job.start))) / rate
    end
  end
  return sum
end

return served
