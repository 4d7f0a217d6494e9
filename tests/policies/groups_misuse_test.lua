-- A policy that calls whatever it likes, with whatever it has: each call does what it says or is refused, and what is
-- refused leaves nothing behind.
describe("groups under a policy without sense", function()
  local refused, stopped, draw

  local function below(n)
    draw = (draw * 1103515245 + 12345) % 2147483648
    return draw // 65536 % n
  end

  local function any(list) return #list > 0 and list[1 + below(#list)] or nil end

  local function try(f, ...)
    local ok, result = pcall(f, ...)
    if ok then return result end
    refused[string.gsub(tostring(result), "%d+", "N")] = true
    return nil
  end

  local function all_of(...)
    local list = {}
    for _, iterator in ipairs { ... } do
      for j in iterator do list[#list + 1] = j end
    end
    return list
  end

  --- A group made in one of many ways, of a list that may be from an earlier pass.
  local function some_group(view, list, a, b)
    local ways = {
      function() return list:group(a) end,
      function() return list:leading(a):group(b) end,
      function() return any(list:windows(a, below(4))) end,
      function() return any(list:pairs(a)) end,
      function() return list:first(6):best_of_all(a, below(3), 1 + below(4)) end,
      function() return any(list:tolerating(a, { max_slowdown = 5, exceed = 9, longer = 1e9 }):windows(a, 3)) end,
      function() return any(list:first(5):windows(a, 2):purified()) end,
      function()
        local group = any(list:windows(a, 1))
        return group and any(group:extended(view:waiting_candidates(), 5))
      end,
    }
    return try(any(ways))
  end

  local function without_sense(layout, sliced, stops)
    local list, group
    local function stop(view, a, way)
      if stops == 0 then return end
      stops = stops - 1
      local options = { grace = any { 0, 0, 1, 20 } }
      if way == 0 then options.checkpoint = below(2) == 0 end
      if way == 2 and below(2) == 0 then options = { how = "suspend" } end
      local act = way == 0 and view.requeue or way == 1 and view.kill or view.preempt
      if try(function() act(view, a, options) return true end) then stopped = stopped + 1 end
    end
    return {
      api = 1, name = "without_sense", version = "1",
      sharing = {
        layout = layout,
        alone = function(j, m) return 1 + (j.processes * 7 + m.nodes) % m.cores end,
        shared = function(j, m) return 1 + (j.processes * 3 + 1) % m.cores end,
      },
      slices = sliced and {
        interval = 100, overhead = 3,
        classes = {
          { name = "small", on_demand = true, up_to = 20, longest = 30 }, { name = "medium", up_to = 300, share = 1 },
          { name = "large", share = 2 },
        },
      } or nil,
      schedule = function(view)
        if below(2) == 0 then view:keep_reservations() end
        for _ = 1, below(6) do
          local all = all_of(view:waiting(), view:running())
          local a, b = any(all), any(all)
          if not a then break end
          if not list or below(5) > 0 then
            list = below(2) == 0 and view:waiting_candidates() or view:running_candidates()
          end
          local what = below(stops and 14 or 11)
          if what > 10 then stop(view, a, what - 11)
          elseif what < 5 then
            group = some_group(view, list, a, b) or group
            if group and below(3) > 0 then
              try(function() return view:can_start_group(group) and view:fits_group(group) and view:fair(group) end)
            end
            if group then try(view.start_group, view, group) end
          elseif what == 5 then try(view.spread, view, a, below(6))
          elseif what == 6 then try(view.start, view, a)
          elseif what == 7 then try(view.expect, view, a)
          elseif what == 8 then try(view.separate, view, a)
          elseif what == 9 then try(view.reserve, view, a, try(view.earliest, view, a))
          else try(view.unreserve, view, a) end
        end
        view:keep_reservations()
        view:start_due()
      end,
    }
  end

  local function random_jobs(count, cores)
    local jobs = {}
    for i = 1, count do
      local runtime = any { 1, 5, 30, 100, 400 }
      jobs[i] = job {
        submit = below(200), processes = any { 1, 1 + below(cores), 1 + below(4) }, runtime = runtime,
        limit = runtime * any { 1, 1, 2, 0.5 },
      }
    end
    return jobs
  end

  it("nothing breaks, and no job is lost", function()
    refused = {}
    for seed = 1, 150 do
      draw = seed
      local nodes, shape = any { 2, 4, 8 }, any { { 1, 1 }, { 2, 2 }, { 2, 3 }, { 1, 4 } }
      local run = simulate {
        policy = without_sense(any { "across", "within" }, below(5) < 2), seed = seed, slowdown = { model = "drawn" },
        machine = { nodes = nodes, processors = shape[1], cores = shape[2] },
        engine = { at_limit = any { "kill", "extend" } },
        jobs = random_jobs(any { 3, 10, 25 }, nodes * shape[1] * shape[2]),
      }
      expect(run).violates_nothing()
    end
    for _, words in ipairs {
      "the group is out of date", "in the group twice", "both run already", "cannot share nodes",
      "the group cannot start now",
      "the class of this pass has no slice", "only N of its N reserved nodes are available",
      "only a pair in which one job runs entirely",
      "only valid inside the hook",
    } do
      local seen = false
      for message in pairs(refused) do seen = seen or message:find(words, 1, true) ~= nil end
      expect(seen and words).equals(words)
    end
  end)

  it("nor where jobs stop and nodes fail", function()
    refused = {}
    local interrupted, suspended = 0, 0
    stopped = 0
    for seed = 1, 150 do
      draw = seed
      local nodes, shape = any { 2, 4, 8 }, any { { 1, 1 }, { 2, 2 }, { 2, 3 }, { 1, 4 } }
      local failures = below(2) == 0 and { failures = { { mtbf = 900, repair = 40 } } } or nil
      local run = simulate {
        policy = without_sense(any { "across", "within" }, below(5) < 2, 30), seed = seed,
        slowdown = { model = "drawn" },
        machine = { nodes = nodes, processors = shape[1], cores = shape[2] },
        engine = { at_limit = any { "kill", "extend" } },
        outages = failures,
        jobs = random_jobs(any { 3, 10, 25 }, nodes * shape[1] * shape[2]),
      }
      expect(run).violates_nothing()
      -- Where no job fits on the machine, nothing is told of outages.
      pcall(function() interrupted = interrupted + run.summary.outages.interruptions end)
      pcall(function() suspended = suspended + run.summary.preemptions.suspended end)
    end
    expect(stopped > 300).equals(true)
    expect(interrupted > 50).equals(true)
    expect(suspended > 20).equals(true)
  end)

  local function pairing_without_sense()
    local list, pair
    return {
      api = 1, name = "pairing_without_sense", version = "1",
      sharing = { alone = function() return 1 end, shared = function() return 1 end },
      schedule = function(view)
        if below(2) == 0 then view:keep_reservations() end
        for _ = 1, below(6) do
          local all = all_of(view:waiting(), view:running())
          local a, b = any(all), any(all)
          if not a then break end
          local what = below(9)
          local rules = {
            depth = below(5), over = below(100), narrower = below(2) == 0, memory = below(2) == 0,
            matchable = below(2) == 0, max_slowdown = any { 0, 1, 1.6, 100 },
          }
          if what == 0 then list = try(view.partners, view, a, rules) or list
          elseif what == 1 then list = try(view.running_partners, view, a, rules) or list
          elseif what == 2 then list = view:waiting_candidates()
          elseif what == 3 then list = view:running_candidates()
          elseif what < 6 and list then
            pair = try(view.best_pair, view, a, list, {
              by = any { "first", "gain", "weighted-gain", "response" }, own = any { "slowdown", "work" },
              arrivals = { first = any { 0, 1, 1e9 }, others = any { 0, 1, 1e9 }, work = any { 0, 655 },
                queued = below(2) == 0 },
              head = below(3) == 0 and b or nil,
            }) or pair
          elseif what == 6 and pair then try(view.start_group, view, pair)
          elseif what == 7 then try(view.separate, view, a)
          else try(view.slowdown, view, a) end
        end
        view:keep_reservations()
        view:start_due()
      end,
    }
  end

  it("nor in pairs", function()
    refused = {}
    for seed = 1, 100 do
      draw = seed
      local run = simulate {
        machine = { nodes = 8, processors = 1, cores = 2 }, seed = seed, jobs = random_jobs(any { 3, 12, 30 }, 8),
        engine = { processes_per_node = 1, at_limit = any { "kill", "extend" } }, policy = pairing_without_sense(),
        slowdown = { model = "resources", misjudged_share = 0.5, misjudged = any { 0.01, 3, 100 } },
      }
      expect(run).violates_nothing()
    end
    local seen = false
    for message in pairs(refused) do seen = seen or message:find("is not a partner of job", 1, true) ~= nil end
    expect(seen).equals(true)
  end)

  it("what a pass was given is of no use after it", function()
    local view, list, slot
    local misuses = 0
    local function misuse(f)
      if not pcall(f) then misuses = misuses + 1 end
    end
    local function run(look)
      local function ppn() return 1 end
      simulate {
        machine = { nodes = 4, processors = 2, cores = 2 }, slowdown = { model = "drawn" },
        jobs = { job { submit = 0, processes = 2, runtime = 50 }, job { submit = 1, processes = 3, runtime = 50 } },
        policy = {
          api = 1, name = "looks", version = "1", sharing = { alone = ppn, shared = ppn },
          schedule = function(v)
            look(v)
            v:keep_reservations()
            v:start_due()
          end,
        },
      }
    end
    run(function(v)
      view, list = v, v:waiting_candidates()
      slot = v:head() and v:earliest(v:head()) or slot
    end)
    for _, use in ipairs {
      function() return view.now end, function() return #list end, function() return slot.is_now end,
    } do
      expect(use).raises("only valid inside the hook")
    end
    local passes = 0
    run(function()
      passes = passes + 1
      misuse(function() return view.now end)
      misuse(function() return #list end)
    end)
    expect(misuses).equals(2 * passes)
  end)
end)
