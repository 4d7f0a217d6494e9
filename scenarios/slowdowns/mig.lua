-- Made up: seven training programs on slices of a GPU of seven parts, as parts of their speeds on the whole one. Those
-- that need more memory than a slice has do not run there.
local speeds = { -- by parts of the slice
  ["vision-small/32"] = { 0.46, 0.74, 0.87, 0.93 },
  ["vision-small/128"] = { 0.27, 0.52, 0.72, 0.81 },
  ["vision-large/64"] = { [3] = 0.52, [4] = 0.62 },
  ["language/16"] = { [2] = 0.38, [3] = 0.57, [4] = 0.68 },
  ["ranking/512"] = { 0.61, 0.82, 0.93, 0.95 },
  ["games/64"] = { 0.41, 0.63, 0.76, 0.82 },
  ["speech/32"] = { [2] = 0.49, [3] = 0.68, [4] = 0.78 },
}

local function measured(params)
  local found = {}
  for _, row in ipairs(params.measured) do
    if row.measured == 1 then
      local name = ("%s/%d"):format(row.model, row.batch)
      found[name] = found[name] or {}
      found[name][math.tointeger(tonumber(row.slice:sub(1, 1)))] = row.rel_throughput_mean
    end
  end
  return found
end

local given

return {
  api = 1,
  name = "mig",
  params = {
    measured = { default = "", doc = "Measured speeds instead: { csv = PATH }, with model, batch, slice (4g), "
      .. "rel_throughput_mean, measured." },
  },
  on_slice = function(job, params, _, slice)
    if slice == 7 then return 1 end
    given = given or params.measured == "" and speeds or measured(params)
    local of = given[job.application]
    local speed = of and of[slice]
    return speed and 1 / speed
  end,
}
