-- Libraries are loaded once for a suite: what they keep belongs to one run. Each user of a library runs twice
-- with other parameters or another machine, in both orders, and does each time what it does alone.

--- Runs both scenarios in both orders, then each alone: a run has what no run before has left. `differ`: they do.
local function independent(name, one, other, differ)
  local function starts(scenario)
    local list = {}
    for i, j in ipairs(simulate(scenario()).jobs) do list[i] = ("%g-%g"):format(j.start, j.finish) end
    return table.concat(list, " ")
  end
  local first, second = starts(one), starts(other)
  local second_again, first_again = starts(other), starts(one)
  expect(name .. ": " .. first_again).equals(name .. ": " .. first)
  expect(name .. ": " .. second_again).equals(name .. ": " .. second)
  if differ then expect(first == second).equals(false) end
  return first, second
end

describe("the library groups", function()
  local groups = require "groups"
  local function numbers(names)
    local params = {}
    for name, default in pairs(names) do params[name] = { default = default, doc = "As in glomarc_ts." } end
    return params
  end
  local pairing = {
    api = 1, name = "pairing", version = "1",
    params = numbers { slack = 1.5, expected = 0.75, predicted = 0.75, fair_to_members = true, max_slowdown = 1.3,
      max_slowdown_on = "total", matched_exceed = 0.1, matched_longer = 2000, min_gain = 0.4 },
    sharing = { alone = function() return 2 end, shared = function() return 2 end },
    submitted = function(view, job, params) view:expect(job, groups.fairness(params)) end,
    schedule = function(view, params)
      for _ = 1, 100 do
        local head = view:head()
        if not head or view:nodes_in_group(head) > view.idle then return end
        local pair = groups.best_pair(view, head, view:waiting_candidates(), params)
        if pair then view:start_group(pair) else view:start(head) end
      end
    end,
  }
  -- What a job loses beside the other one: nothing to speak of.
  local slowdown = { model = "script", script = "slowdowns/mild.lua" }
  local jobs = { job{submit=0, processes=12, runtime=900, executable=1},
    job{submit=0, processes=12, runtime=800, executable=2},
    job{submit=0, processes=12, runtime=3000, executable=1} }

  local function scenario(params)
    return function()
      return { policy = pairing, params = params, slowdown = slowdown, jobs = jobs,
        machine = { nodes = 6, processors = 2, cores = 2 } }
    end
  end

  it("takes each run's slack and slowdowns", function()
    independent("max_slowdown", scenario { slack = 9, max_slowdown = 1.5 },
      scenario { slack = 9, max_slowdown = 1.001 },
      true)
    independent("slack", scenario { slack = 9 }, scenario { slack = 1.001 }, true)
  end)
end)

describe("the library of policies that give GPUs", function()
  local function machine(kind) return { nodes = { { name = "g", count = 1, cores = 8, gpus = 2, slices = kind } } } end
  local jobs = {}
  for i = 1, 6 do jobs[i] = job{submit=10 * i, nodes=1, runtime=100, request = { cores = 1, gpus = 1 }} end

  it("begins each run anew", function()
    local allocation = require("gpu_allocation").policy({ api = 1, name = "rounds", version = "1" }, { always = true })
    local function rounds(length)
      return function()
        return { policy = allocation, params = { round = length, restart = 5 }, machine = machine(), jobs = jobs }
      end
    end
    independent("rounds", rounds(60), rounds(250))
  end)

  it("knows the layouts of its own machine", function()
    local divided = require "divided_gpus"
    local policy = divided.policy({ api = 1, name = "divides", version = "1" }, function(units)
      units:give_free()
    end)
    local function divides(slices)
      return function() return { policy = policy, machine = machine(slices), jobs = jobs } end
    end
    independent("layouts", divides(7), divides(4))
  end)
end)

describe("a suite", function()
  it("may take in policies and libraries that come with coslice, change them and run them", function()
    local policy = require "lomarc_pss"
    expect(policy.name).equals("lomarc_pss")
    expect(require("glomarc_ts").params.slack.default).equals(1.5)
    expect(require("three_classes").params.interval.default).equals(3600)
    policy.key = function(job) return -job.submit end
    local run = simulate { policy = policy, machine = { nodes = 4, cores = 2 }, engine = { processes_per_node = 1 },
      slowdown = { model = "resources" }, params = { age = 1e9 },
      jobs = { job{submit=0, nodes=4, runtime=9}, job{submit=1, nodes=4, runtime=9},
        job{submit=2, nodes=4, runtime=9} } }
    expect(run).starts { 0, 18, 9 }
  end)
end)
