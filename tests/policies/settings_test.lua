-- The settings of a policy: fields, functions of the parameters, and parameters that are named like them; and the
-- claims that the ready-made scheduler brings.
describe("a parameter named like a setting", function()
  local jobs = {
    job{submit=0, nodes=3, runtime=100}, job{submit=1, nodes=4, runtime=50}, job{submit=2, nodes=1, runtime=90},
    job{submit=3, nodes=1, runtime=500},
  }
  local backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs pass others." }

  local function run(fields, params)
    local policy = { api = 1, name = "subject", version = "1" }
    for name, value in pairs(fields) do policy[name] = value end
    return simulate { policy = policy, nodes = 4, jobs = jobs, params = params }
  end

  local function same(a, b) expect(a.fingerprint).equals(b.fingerprint) end

  it("is that setting", function()
    same(run { params = { backfill = backfill } }, run { backfill = "easy" })
    same(run({ params = { backfill = backfill } }, { backfill = "none" }), run {})
    local order = { default = "duration", choices = { "submit", "duration", "nodes", "area" }, doc = "" }
    local descending = { default = false, doc = "" }
    local ordered = { params = { order = order, descending = descending } }
    same(run(ordered), run { order = "duration" })
    same(run(ordered, { descending = true }), run { order = "duration", descending = true })
    same(run(ordered, { order = "nodes" }), run { order = "nodes" })
  end)

  it("counts: reservations, depth, compress", function()
    local number = { default = 1, min = 0, integer = true, doc = "" }
    local kinds = { params = { backfill = backfill, reservations = number, depth = number } }
    same(run(kinds), run { backfill = "easy", depth = 1 })
    same(run(kinds, { depth = 0, reservations = 0 }), run { backfill = "easy", reservations = 0 })
    -- They stand there for another value of `backfill`: that is no mistake until one of them is set.
    same(run(kinds, { backfill = "none" }), run {})
    expect(function() run(kinds, { backfill = "none", depth = 2 }) end)
      .raises("policy 'subject' cannot work with backfill = \"none\", depth = 2: policy: field 'depth' has no effect "
        .. "without backfill = \"easy\"")
    local compress = { default = "start", choices = { "queue", "start" }, doc = "" }
    same(run { backfill = "conservative", params = { compress = compress } },
      run { backfill = "conservative", compress = "start" })
  end)

  it("is the policy's own where the policy sets the setting", function()
    local number = { default = 7, doc = "" }
    local seen
    local function key(_, params) seen = params.depth return 0 end
    same(run { backfill = "easy", depth = 1, params = { depth = number }, key = key },
      run { backfill = "easy", depth = 1 })
    expect(seen).equals(7)
    local halved = { backfill = "easy", params = { depth = number }, depth = function(p) return p.depth // 7 end }
    same(run(halved), run { backfill = "easy", depth = 1 })
  end)

  it("leaves the policy's table as it is", function()
    local depth = function(params) return params.reach end
    local policy = {
      api = 1, name = "subject", version = "1", backfill = "easy", depth = depth,
      params = { reach = { default = 1, doc = "" }, reservations = { default = 1, doc = "" } },
    }
    for _, reach in ipairs { 0, 1, 0 } do
      same(simulate { policy = policy, nodes = 4, jobs = jobs, params = { reach = reach } },
        run { backfill = "easy", depth = reach })
    end
    expect(policy.depth == depth and policy.reservations == nil).is_true()
  end)

  it("is the policy's own where the setting would have no effect", function()
    local seen = {}
    local own = { default = "mine", doc = "" }
    run { params = { backfill = own, compress = own }, schedule = function(view, params)
      seen[1] = params.backfill .. params.compress
      view:easy()
    end }
    run { params = { order = own }, key = function(_, params) seen[2] = params.order return 0 end }
    run { params = { depth = own }, may_start = function(_, _, params) seen[3] = params.depth return true end }
    expect(seen).equals { "minemine", "mine", "mine" }
  end)

  it("is not read by hooks, which an old policy may do that has it for itself", function()
    local fields = { backfill = "easy", params = { depth = { default = 1, doc = "" } } }
    for _, hook in ipairs { "key", "dynamic_key", "may_start", "submitted" } do
      fields[hook] = function(...) return (select(select("#", ...), ...)).depth end
      expect(function() run(fields) end)
        .raises("the policy's 'params' have no field 'depth'; a parameter named like a setting is that setting")
      fields[hook] = nil
    end
  end)

  it("must be able to be the setting", function()
    local function message(params, given)
      local _, why = pcall(run, { backfill = "easy", params = params }, given)
      return tostring(why)
    end
    expect(message { order = { default = "mine", doc = "" } })
      .contains("policy, a parameter named like a setting: field 'order' is \"mine\"; expected one of")
    expect(message { depth = { default = "far", doc = "" } }).contains("field 'depth' is string \"far\"")
    expect(message({ depth = { default = 1, doc = "" } }, { depth = -1 }))
      .contains("policy 'subject' cannot work with depth = -1: policy, a parameter named like a setting: field 'depth'")
  end)
end)

describe("the ready-made scheduler", function()
  local function claims(fields)
    local policy = { api = 1, name = "subject", version = "1" }
    for name, value in pairs(fields) do policy[name] = value end
    return policy
  end
  local few = { jobs = 25, users = 3, runs = 30 }
  local kinds = {
    none = {}, easy = { backfill = "easy" }, deep = { backfill = "easy", reservations = 2, depth = 1 },
    free = { backfill = "easy", reservations = 0 }, conservative = { backfill = "conservative" },
    start = { backfill = "conservative", compress = "start" },
    shortest = { backfill = "easy", order = "duration" }, narrowest = { backfill = "none", order = "nodes" },
    largest = { backfill = "conservative", order = "area", descending = true },
    latest = { backfill = "easy", descending = true },
    urgent = { backfill = "easy",
      dynamic_key = function(job, now) return job.nodes - (now - job.submit) / job.estimate end },
    guessed = { backfill = "conservative", estimate = function(job) return job.estimate / 3 end },
  }
  for _, name in ipairs(table.keys(kinds)) do
    property("keeps the claims that it brings: " .. name, few, function(workload)
      expect(simulate(workload, { policy = claims(kinds[name]) })).keeps_claims()
    end)
  end
end)
