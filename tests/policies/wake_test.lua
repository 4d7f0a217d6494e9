-- view:wake: a policy may ask for several passes ahead, in any order.
describe("wake", function()
  it("keeps every time that was asked for", function()
    local passes = {}
    local run = simulate {
      nodes = 4,
      -- The last one: a run is over with its last job, whatever is asked for later.
      jobs = { job{submit=0, nodes=1, runtime=10}, job{submit=60, nodes=3, runtime=5},
        job{submit=0, nodes=1, runtime=250} },
      policy = {
        api = 1, name = "alarm", version = "1",
        begin = function(view)
          view:wake(100)
          view:wake(30)
          view:wake(200)
        end,
        schedule = function(view)
          passes[#passes + 1] = view.now
          view:start_in_order()
        end,
      },
    }
    expect(run).starts { 0, 60, 0 }
    expect(passes).equals { 0, 10, 30, 60, 65, 100, 200, 250 }
  end)

  it("lets a vetoed job start later though nothing else happens", function()
    local function ask(view)
      view:wake(50)
      view:wake(20)
    end
    expect(simulate {
      nodes = 4,
      jobs = { job{submit=0, nodes=4, runtime=10} },
      policy = {
        api = 1, name = "not_before_50", version = "1", submitted = ask,
        may_start = function(_, now) return now >= 50 end,
      },
    }).starts { 50 }
  end)
end)
