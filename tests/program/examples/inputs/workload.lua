-- A workload of users who submit one job after the other.
return {
  api = 1,
  name = "users",
  params = {
    users = { default = 5, integer = true, min = 1, doc = "How many users submit." },
    load = { default = 0.7, min = 0.1, doc = "Offered load." },
  },
  jobs = function(params, machine)
    local now = 0
    for i = 1, 60 do
      now = now + random.exponential(600 / params.load)
      coroutine.yield {
        submit = now, nodes = math.random(1, machine.nodes // 2), runtime = 1000, user = i % params.users,
      }
    end
  end,
}
