-- Flexible coscheduling and gang scheduling worked out by hand (Frachtenberg, Feitelson, Petrini & Fernandez 2005).
local fcs = require "fcs"

describe("FCS by hand (Section 2.2, Algorithm 2)", function()
  it("classifies after 20 own slots, and starts anew after tslots_max", function()
    local reclassify = fcs.coscheduling
    local log = {} -- of the program that never communicates, on its first processor: slot and class, where that changes
    local slots, last = 0, "CS"
    local watched = {}
    for name, value in pairs(fcs) do watched[name] = value end
    watched.coscheduling = function(params)
      local made = reclassify(params)
      local classify = made.classify
      made.classify = function(process, p)
        local class, anew = classify(process, p)
        if process.c_comm == 0 then
          slots = slots + 1
          if class ~= last then log[#log + 1] = slots .. " " .. class end
          last = class
        end
        return class, anew
      end
      return made
    end
    local run = simulate { policy = watched, machine = { nodes = 1, processors = 1 },
      params = { multiprogramming = 2, switch = 0, dispatch = 0, tslots_max = 50 },
      processes = { programs = { { name = "alone", pattern = "none", compute = 1e-3 } } },
      workload = { jobs = { { nodes = 1, runtime = 8, program = "alone" } } } }
    expect(run).violates_nothing()
    -- No communication: DC as soon as 20 slots in a class have passed; CS again after 50 slots in all, DC 20 after
    -- that; and so on every 50.
    expect(table.concat(log, ", ", 1, 3)).equals("20 DC, 50 CS, 70 DC")
  end)
end)

describe("gang scheduling by hand", function()
  it("is EASY over the rows of the matrix, estimates times its rows (Section 5.1)", function()
    local function job(submit, nodes, runtime)
      return { submit = submit, nodes = nodes, runtime = runtime, program = "p" }
    end
    local function run(policy)
      local r = simulate { policy = policy, params = policy == "gang" and { multiprogramming = 2, switch = 0 } or nil,
        machine = { nodes = 4, processors = 1 },
        processes = { programs = { { name = "p", pattern = "none", compute = 1e-3 } } },
        workload = { jobs = { job(0, 3, 10), job(1, 3, 10), job(2, 3, 10), job(3, 4, 10), job(4, 1, 12) } } }
      expect(r).violates_nothing()
      return r
    end
    -- Alone on its processors each has 10 s. The last takes the fourth processor, which the next of three does not
    -- need.
    local batch = run "batch"
    expect(batch.jobs[1].finish).equals(10)
    expect(batch).starts { 0, 10, 20, 30, 4 }
    -- Two rows: the first runs alone for a second, then in half of the slots: 1 + 2 x 9 = 19. The second has done 9 s
    -- by then, and one row is free for the third: 1.9 s to go with half of the slots, to within a slot of 0.1 s.
    local gang = run "gang"
    expect(gang.jobs[1].finish).near(19, 0.11)
    expect(gang.jobs[2].start).equals(1)
    expect(gang.jobs[2].finish).near(21, 0.11)
    expect(gang.jobs[3].start).equals(gang.jobs[1].finish)
    expect(gang.jobs[4].start).equals(gang.jobs[2].finish)
    -- The last fits beside the first or the second at once, and delays none.
    expect(gang.jobs[5].start).equals(4)
  end)
end)
