-- Loops that pick jobs of the queue without asking Lua: each gives what a loop over `view:waiting` would that asks each
-- job.
describe("a loop over the queue", function()
  local function pass(schedule)
    return { api = 1, name = "subject", version = "1", schedule = schedule }
  end

  local function ids(loop)
    local list = {}
    for job in loop do list[#list + 1] = job.id end
    return list
  end

  -- The same with a question for each waiting job.
  local function asked(view, question, after)
    local list = {}
    for job in view:waiting(after) do
      if question(job) then list[#list + 1] = job.id end
    end
    return list
  end

  local random = { jobs = 30, nodes = 8, runs = 15 }

  property("fitting: those that fit now, beside all reservations", random, function(workload)
    simulate(workload, { policy = pass(function(view)
      view:start_due()
      local head = view:start_in_order()
      if not head then return end
      if not view:reservation(head) then view:reserve(head, view:earliest(head)) end
      local fits = function(job) return view:fits(job) end
      expect(ids(view:fitting())).equals(asked(view, fits))
      expect(ids(view:fitting(head))).equals(asked(view, fits, head))
      for job in view:fitting(head) do view:start(job) end -- asked anew at each step
      expect(ids(view:fitting(head))).equals {}
    end) })
  end)

  it("fitting: goes on behind a job that starts, and begins behind one that waits", function()
    local given = {}
    local run = simulate { nodes = 4, policy = pass(function(view)
      if view.now < 1 then return view:start_in_order() end
      local second
      for job in view:fitting() do
        if job.id == 3 then second = job end
      end
      for job in view:fitting(second) do
        given[#given + 1] = job.id
        if job.id ~= 4 then view:start(job) end
      end
      view:start_in_order()
    end), jobs = {
      job{submit=0, nodes=1, runtime=9}, job{submit=1, nodes=4, runtime=1}, job{submit=1, nodes=1, runtime=1},
      job{submit=1, nodes=2, runtime=1}, job{submit=1, nodes=2, runtime=1}, job{submit=1, nodes=1, runtime=1},
      job{submit=1, nodes=2, runtime=1},
    } }
    expect(table.concat(given, " ", 1, 4)).equals("4 5 6 4")
    expect(run).violates_nothing()
  end)

  property("unreserved, moving_up: those without a reservation, and those that could move up", random,
    function(workload)
    simulate(workload, { policy = pass(function(view)
      if view.ended then
        local could = asked(view, function(job) return view:earlier(job) end)
        local moved = {}
        for job, slot in view:moving_up() do
          expect(slot.time).equals(view:earlier(job).time)
          moved[#moved + 1] = job.id
          view:reserve(job, slot)
        end
        -- One that moves up may take the place of another, or make way for it; the first of the queue has its choice.
        expect(moved[1]).equals(could[1])
      end
      local free = asked(view, function(job) return not view:reservation(job) end)
      expect(ids(view:unreserved())).equals(free)
      local given = {}
      for job in view:unreserved() do
        given[#given + 1] = job.id
        view:reserve(job, view:earliest(job))
      end
      expect(given).equals(free)
      expect(ids(view:unreserved())).equals {}
      view:start_due()
    end) })
  end)

  property("passing: those that end by the shadow time, or fit into the spare nodes", random, function(workload)
    simulate(workload, { policy = pass(function(view)
      local head = view:start_in_order()
      if not head then return end
      local function may_pass()
        local shadow, extra = view:shadow(head)
        return asked(view, function(job)
          return job.nodes <= view.free and (view:ends_by(job, shadow) or job.nodes <= extra)
        end, head)
      end
      local all = may_pass()
      expect(ids(view:passing(head))).equals(all)
      local short = ids(view:passing(head, "shortest"))
      table.sort(short)
      table.sort(all)
      expect(short).equals(all)
      for job in view:passing(head) do view:start(job) end
      expect(may_pass()).equals {}
    end) })
  end)

  it("is over with its pass, and begins behind a waiting job only", function()
    local kept, why
    local one = { job{submit=0, nodes=1, runtime=3}, job{submit=1, nodes=1, runtime=3} }
    for _, loop in ipairs { "fitting", "unreserved", "moving_up" } do
      kept = nil
      expect(function()
        simulate { nodes = 1, jobs = one, policy = pass(function(view)
          if kept then kept() end
          kept = kept or view[loop](view)
          view:start_in_order()
        end) }
      end).never.raises("attempt")
    end
    simulate { nodes = 1, jobs = one, policy = pass(function(view)
      local head = view:head()
      view:start_in_order()
      local done, message = pcall(view.fitting, view, head)
      if not done then why = message end
    end) }
    expect(tostring(why)).contains("is not waiting")
  end)
end)

describe("share", function()
  local function run(share, more)
    local policy = { api = 1, name = "subject", version = "1", share = share,
      dynamic_key = function(_, _, _, s) return s end }
    for name, value in pairs(more or {}) do policy[name] = value end
    return simulate { nodes = 2, policy = policy, jobs = {
      job{submit=0, nodes=2, runtime=10, user=1}, job{submit=1, nodes=1, runtime=10, user=1},
      job{submit=1, nodes=2, runtime=10, user=2}, job{submit=2, nodes=1, runtime=10, user=2},
    } }
  end
  local function of(_, _, _) return 0 end

  it("is a number for each owner", function()
    expect(run { of = function(user) return -user end }).starts { 0, 20, 10, 20 }
    for _, answer in ipairs { { "text", 'got string "text"' }, { {}, "got a table" },
      { 0 / 0, "a number that is not NaN" } } do
      expect(function() run { of = function() return answer[1] end } end).raises(answer[2])
    end
    expect(function() run { of = function() end } end).raises("function 'of' in the share of policy 'subject'")
    expect(function() run { of = function(user) return user.nothing end } end).raises("attempt to index a number value")
  end)

  it("is declared by an owner's field and a function", function()
    for declared, message in pairs {
      ["field 'share' is not a table"] = 5,
      ["share: field 'of' is nil; expected a function"] = {},
      ["share: field 'of' is number 3"] = { of = 3 },
      ["share: field 'by' is \"usr\"; expected one of"] = { by = "usr", of = of },
      ["share has an unknown field 'off'"] = { of = of, off = 1 },
    } do
      expect(function() run(message) end).raises(declared)
    end
    expect(function() run({ of = of }, { dynamic_key = false }) end).raises("dynamic_key")
    expect(function()
      simulate { nodes = 1, jobs = {}, policy = { api = 1, name = "subject", version = "1", share = { of = of } } }
    end).raises("field 'share' has no effect without 'dynamic_key'")
  end)
end)
