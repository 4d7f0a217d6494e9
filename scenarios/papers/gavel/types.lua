-- Types of jobs: a model and a batch size, numbered as the table of speeds has them.
local types = {}

--- "ResNet-18/64"; the batch of some models has no size.
function types.name(model, batch) return batch and ("%s/%d"):format(model, batch) or model end

--- Steps per second of one GPU, by type of job and type of GPU; names of the types of jobs, and their numbers.
function types.alone(rows)
  local speeds, names, numbers = {}, {}, {}
  for _, row in ipairs(rows) do
    if row.scale_factor == 1 and row.consolidated == 1 then
      local name = types.name(row.job_type, row.batch)
      if not numbers[name] then
        names[#names + 1] = name
        numbers[name], speeds[name] = #names, {}
      end
      speeds[name][row.gpu] = row.steps_per_s
    end
  end
  return speeds, names, numbers
end

return types
