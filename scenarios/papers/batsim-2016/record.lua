-- The jobs of a run on record, as they were submitted: sizes, limits, and the run times that they had.
return {
  api = 1,
  name = "oar-record",
  params = { record = { default = "", doc = "The record: { csv = PATH }." } },
  jobs = function(params)
    local first = math.huge
    for _, row in ipairs(params.record) do first = math.min(first, row.submit) end
    for _, row in ipairs(params.record) do
      coroutine.yield {
        id = math.tointeger(row.workload_id), submit = row.submit - first, nodes = math.tointeger(row.nodes),
        runtime = row["end"] - row.start, limit = row.walltime_s,
      }
    end
  end,
}
