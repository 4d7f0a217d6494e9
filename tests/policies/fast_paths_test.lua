-- What the engine computes in Lua's place gives what Lua gives: each policy runs beside a twin whose function has a
-- loop of one turn in it, so that it stays Lua's.

-- Queues longer than the blocks in which keys and durations are known together, on a machine that is asked for too
-- much.
local function crowded()
  local jobs, submit = {}, 0
  for i = 1, 320 do
    if math.random(4) == 1 then submit = submit + math.random(0, 40) end
    local runtime = math.random(6) == 1 and math.random(2000) or math.random(60)
    jobs[i] = { submit = submit, nodes = math.random(3) == 1 and math.random(12) or math.random(3), runtime = runtime,
                limit = runtime + math.random(0, 80), user = math.random(0, 5), group = math.random(0, 3) }
  end
  return { machine = { nodes = 12 }, jobs = jobs }
end

local function same(workload, fast, slow)
  local a, b = simulate(workload, { policy = fast }), simulate(workload, { policy = slow })
  for i, job in ipairs(a.jobs) do expect(job.start).equals(b.jobs[i].start) end
end

-- Both of a pair are made by the same function, which gets a function to call in the one that shall stay Lua's.
local function twins(name, make)
  property(name, { workload = crowded, runs = 3 }, function(workload)
    same(workload, make(false), make(true))
  end)
end

local function policy(fields)
  fields.api, fields.name, fields.version, fields.backfill = 1, "twin", "1", fields.backfill or "easy"
  return fields
end

describe("keys that are computed where they are needed give the order of all keys:", function()
  local keys = {
    ["work that counts less with waiting"] = function(job, now)
      return job.nodes * job.estimate / (1 + (now - job.submit) / 300)
    end,
    ["growing with the cube of the wait"] = function(job, now)
      local x = (now - job.submit) / job.estimate
      return -(x * x * x * job.nodes)
    end,
    ["with conditions and equal keys"] = function(job, now)
      if now - job.submit > 200 then return -1 end
      return math.floor(job.estimate / 50) + math.max(job.nodes, 4)
    end,
    ["with a divisor that may be of either sign"] = function(job, now)
      return job.nodes / (now - job.submit - 100.25)
    end,
    ["with logarithms"] =
      function(job, now) return math.log(1 + job.estimate) * job.nodes - (now - job.submit) / 100 end,
  }
  for name, key in pairs(keys) do
    for _, backfill in ipairs { "easy", "none" } do
      twins(name .. ", " .. backfill, function(slow)
        local slow_key = function(job, now)
          for _ = 1, 1 do end
          return key(job, now)
        end
        return policy { dynamic_key = slow and slow_key or key, backfill = backfill }
      end)
    end
  end

  -- The hook looks at the whole queue in the midst of a pass, and after it: the keys that were not needed are there
  -- then.
  twins("and a hook sees the queue in order", function(slow)
    local seen = 0
    local function look(view)
      local n = 0
      for job in view:waiting() do
        n = n + 1
        seen = (seen * 31 + job.id * n) % 1000003
      end
    end
    return policy {
      dynamic_key = slow and function(job, now)
        for _ = 1, 1 do end
        return job.nodes * job.estimate / (1 + (now - job.submit) / 300) + 0 * seen
      end or function(job, now) return job.nodes * job.estimate / (1 + (now - job.submit) / 300) end,
      started = function(view, job) if job.id % 7 == 0 then look(view) end end,
      ended = function(view, job) if job.id % 5 == 0 then look(view) end end,
      -- What was seen decides who may be told apart from others: different orders give different schedules.
      estimate = function(job) return job.limit + seen % 3 end,
    }
  end)
end)

describe("shares of usage that the engine keeps are those of the library's:", function()
  local Usage = require("usage")

  local function of_usage(used, total, users) return total > 0 and math.exp(-0.7 * users * used / total) or 1.0 end
  local shares = {
    ["what a user has used"] = { key = function(_, _, _, share) return share end },
    ["a function of it, beside age"] = {
      of = of_usage, key = function(job, now, _, share) return -(100 * share + (now - job.submit) / 10) end,
    },
    ["a function that stays Lua's"] = {
      of = function(used, total, users, params)
        for _ = 1, params.turns do end
        return of_usage(used, total, users)
      end,
      key = function(job, now, _, share) return -(100 * share + (now - job.submit) / 10) end,
    },
  }

  -- The same written out in hooks.
  local function by_hooks(share, half_life, fields)
    local usage, users, known
    fields.begin = function() usage, users, known = Usage.new(half_life), 0, {} end
    fields.submitted = function(_, job)
      if not known[job.user] then known[job.user], users = true, users + 1 end
    end
    fields.started = function(view, job) usage:start(job.user, job.nodes, view.now) end
    fields.ended = function(view, job) usage:stop(job.user, job.nodes, view.now) end
    fields.share = { of = function(user, now, params)
      local total, used = usage:total(now), usage:of(user, now)
      return share.of and share.of(used, total, users, params) or used
    end }
    return fields
  end

  for name, share in pairs(shares) do
    for _, half_life in ipairs { 0, 300 } do
      for _, backfill in ipairs { "easy", "conservative" } do
        twins(("%s, half-life %d s, %s"):format(name, half_life, backfill), function(slow)
          local fields = { dynamic_key = share.key, backfill = backfill,
            params = { turns = { default = 1, doc = "Turns of a loop." } } }
          if slow then return policy(by_hooks(share, half_life, fields)) end
          fields.share = { half_life = half_life, of = share.of }
          return policy(fields)
        end)
      end
    end
  end

  it("and what is wrong in them is an error", function()
    local function run(share)
      local jobs = {}
      for i = 1, 4 do jobs[i] = job{submit=0, nodes=i % 2 + 1, runtime=10, user=i} end
      return simulate { nodes = 2, jobs = jobs,
                        policy = policy { share = share, dynamic_key = function(_, _, _, x) return x end } }
    end
    expect(function() run { half_life = -1 } end).raises("share: half_life is below 0")
    expect(function() run { half_life = "long" } end).raises("half_life")
    expect(function() run { half_life = 1, of = 3 } end).raises("share: field 'of' is number 3")
    expect(function() run { half_life = 1, of = function(used) return used.x end } end).raises(
      "attempt to index a number value")
    expect(function() run { half_life = 1, of = function(used) return (used - used) / 0 end } end)
      .raises("a number that is not NaN")
  end)
end)

describe("vetoes that read tables of the policy's are those of Lua:", function()
  -- rule(held, jobs): a function of a job. Tables are by user.
  local function rules(name, rule, extra)
    twins(name, function(slow)
      local held, jobs, users = {}, {}, {}
      local fast_rule = rule(held, jobs, users)
      local function count(job, by)
        held[job.user] = (held[job.user] or 0) + by * job.nodes
        jobs[job.user] = (jobs[job.user] or 0) + by
        if jobs[job.user] == 0 then jobs[job.user] = nil end
        users[job.user] = users[job.user] or { jobs = 0 }
        users[job.user].jobs = users[job.user].jobs + by
        users[job.user].full = users[job.user].jobs > 2 or nil
      end
      local p = policy {
        may_start = slow and function(job, now, params)
          for _ = 1, 1 do end
          return fast_rule(job, now, params)
        end or fast_rule,
        started = function(_, job) count(job, 1) end,
        ended = function(_, job) count(job, -1) end,
      }
      for k, v in pairs(extra or {}) do p[k] = v end
      return p
    end)
  end

  rules("nodes of a user", function(held)
    return function(job)
      local h = held[job.user] or 0
      return h == 0 or h + job.nodes <= 5
    end
  end)
  rules("jobs of a user, with what is not there", function(_, jobs)
    return function(job)
      if not jobs[job.user] then return true end
      return jobs[job.user] < 3
    end
  end)
  rules("compared with nil", function(_, jobs)
    return function(job) return jobs[job.user] == nil or job.nodes == 1 end
  end)
  rules("tables in tables", function(_, _, users)
    return function(job)
      local u = users[job.user]
      return not u or u.jobs < 4
    end
  end)
  rules("flags in tables", function(_, _, users)
    return function(job)
      local u = users[job.user]
      return not (u and u.full)
    end
  end)
  rules("with the time", function(held)
    return function(job, now) return (held[job.user] or 0) < 6 or now - job.submit > 400 end
  end)
  rules("by two numbers", function(held, jobs)
    return function(job) return (held[job.user] or 0) + (jobs[job.group] or 0) < 7 end
  end)
  rules("without backfilling", function(held)
    return function(job) return (held[job.user] or 0) < 6 end
  end, { backfill = "none" })

  -- Few kinds of jobs, so that blocks of the queue are passed over: in all of them, some may start and others not.
  local function few_kinds()
    local workload = crowded()
    for _, job in ipairs(workload.jobs) do job.user, job.nodes = job.user % 2, math.min(job.nodes, 3) end
    return workload
  end
  for _, backfill in ipairs { "easy", "none" } do
    property("few kinds of jobs, " .. backfill, { workload = few_kinds, runs = 5 }, function(workload)
      local function limited(slow)
        local held, full = {}, 7
        local rule = function(job) return (held[job.user] or 0) + job.nodes <= full end
        return policy {
          backfill = backfill,
          may_start = slow and function(job)
            for _ = 1, 1 do end
            return rule(job)
          end or rule,
          started = function(_, job)
            held[job.user] = (held[job.user] or 0) + job.nodes
            if job.id % 17 == 0 then full = 15 - full end
          end,
          ended = function(_, job) held[job.user] = held[job.user] - job.nodes end,
        }
      end
      same(workload, limited(false), limited(true))
    end)
  end

  -- Another table, not another value: the one that was looked at before means nothing.
  twins("a table that is replaced", function(slow)
    local held = {}
    local rule = function(job) return (held[job.user] or 0) < 3 end
    return policy {
      may_start = slow and function(job)
        for _ = 1, 1 do end
        return rule(job)
      end or rule,
      started = function(_, job)
        local new = table.copy(held)
        new[job.user] = (new[job.user] or 0) + 1
        held = new
      end,
      ended = function(_, job)
        if job.id % 11 == 0 then held = {} else held[job.user] = math.max((held[job.user] or 0) - 1, 0) end
      end,
    }
  end)

  it("and what Lua would not take is an error as Lua's", function()
    local held = {}
    expect(function()
      simulate { nodes = 4, jobs = { job{submit=0, nodes=1, runtime=10, user=1} }, policy = policy {
        may_start = function(job) return held[job.user] < 3 end } }
    end).raises("attempt to compare nil with number")
  end)
end)
