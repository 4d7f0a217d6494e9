-- The jobs of a set, of which a part is malleable. Run times follow from work by Amdahl's law.
local speed = 1e12 -- of a node, in units of work a second

return {
  api = 1,
  name = "posner-2023",
  params = {
    set = { default = "", doc = "The set: { csv = PATH }." },
    share = { default = 0, min = 0, max = 100, integer = true, doc = "How many jobs are malleable, %." },
  },
  jobs = function(params)
    local column = ("malleable_in_%d"):format(params.share)
    for _, row in ipairs(params.set) do
      local malleable, serial = row[column] == 1, 1 - row.parallel
      coroutine.yield {
        id = math.tointeger(row.id), submit = row.submit, nodes = math.tointeger(row.nodes_pref),
        runtime = row.flops * (serial + row.parallel / row.nodes_pref) / speed,
        sizes = malleable and ("%d-%d amdahl %.15g"):format(row.nodes_min, row.nodes_max, row.parallel) or nil,
        elastic = malleable and ("steps %d"):format(row.divide_malleable) or nil,
      }
    end
  end,
}
