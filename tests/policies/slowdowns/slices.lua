-- On slices of a GPU of seven parts: jobs of application 1 lose more than their share, those of 2 little, those of 3
-- need three parts, those of 4 do a sixteenth on each.
local speeds = {
  { 0.1, 0.2, 0.4, 0.5, [7] = 1 },
  { 0.5, 0.8, 0.8, 0.8, [7] = 1 },
  { [3] = 0.625, [4] = 0.75, [7] = 1 },
}
speeds[4] = {}
for parts = 1, 16 do speeds[4][parts] = parts / 16 end

return {
  api = 1,
  name = "slices",
  on_gpus = function(_, _, gpu) return gpu == "old" and 2 or 1 end,
  on_slice = function(job, _, _, slice)
    local speed = speeds[job.executable][slice]
    return speed and 1 / speed
  end,
}
