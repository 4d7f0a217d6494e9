-- Sodan & Lan 2005, Tables 1 to 3: slowdowns that were measured, beside the estimate, which claims to be an upper
-- bound.

local published = require("published")

local M = {}

--- The slowdown of two applications by a run of both on the same nodes.
local function estimated(lab, a, b, cpu)
  local function job(f) return { nodes = 4, runtime = 60, cpu = f[1], network = f[2], disk = f[3] } end
  return lab.run("two.toml", {
    workload = { jobs = { job(a), job(b) } }, slowdown = { compatible = cpu, compatible_share = cpu < 2 and 1 or 0 },
  })
end

local function slowdown(run) return run.summary.makespan / 60 end

function M.measured_cpu(lab)
  local bound = slowdown(estimated(lab, { 1, 0, 0 }, { 1, 0, 0 }, 2))
  local below = 0
  for _, row in ipairs(published.cpu) do
    if row[2] <= bound and (row[3] or 1) <= bound then below = below + 1 end
  end
  lab.row {
    quantity = "estimate-is-above-measured", unit = "of 16", obtained = below, seeds = 1, at_least = 15,
    note = "all but simple floating-point additions without the cache: 2.1",
  }
end

local function short_name(application)
  return ("%.0f%s"):format(100 * application[1], application[2] > 1000 and "l" or "s")
end

function M.communication(lab)
  local pairs_of, bounded = {}, 0
  for i, row in ipairs(published.communication) do
    local a, b = { 1 - row[1][1], row[1][1], 0 }, { 1 - row[2][1], row[2][1], 0 }
    pairs_of[i] = { estimated(lab, a, b, 2), estimated(lab, a, b, 1) }
  end
  for i, row in ipairs(published.communication) do
    local name = ("%g/%d-%g/%d"):format(row[1][1], row[1][2], row[2][1], row[2][2])
    for k, of in ipairs { "estimate", "estimate-without-CPU" } do
      local value = row[4 + k]
      lab.row {
        quantity = name .. "." .. of, published = value, obtained = slowdown(pairs_of[i][k]), seeds = 1,
        fitted = "the complete form of the slowdown",
        chart = { title = "Estimated slowdowns", axis = "both: % of communication; s 200, l 18,000 bytes" },
        at = short_name(row[1]) .. ", " .. short_name(row[2]),
        series = k == 1 and "CPU slows down" or "it does not",
      }
    end
    if math.max(row[4][1], row[4][2]) <= slowdown(pairs_of[i][1]) then bounded = bounded + 1 end
  end
  lab.row { quantity = "estimate-is-above-measured", unit = "of 10", published = 10, obtained = bounded, seeds = 1,
    band = { 10, 10 } }
end

function M.one_thing(lab)
  local list = {}
  for i, row in ipairs(published.classes) do
    list[i] = estimated(lab, published.fractions[row[1]], published.fractions[row[2]], 2)
  end
  local bounded = 0
  for i, row in ipairs(published.classes) do
    local most, estimate = math.max(row[3], row[4]), slowdown(list[i])
    lab.row { quantity = ("%s-%s"):format(row[1], row[2]), published = most, obtained = estimate, seeds = 1,
      note = "measured; estimate", chart = { title = "Slowdowns, measured and estimated", axis = "applications" },
      at = ("%s, %s"):format(row[1], row[2]) }
    if most <= estimate then bounded = bounded + 1 end
  end
  lab.row { quantity = "estimate-is-above-measured", unit = "of 10", obtained = bounded, seeds = 1,
    note = "different things slow each other down by up to 1.3, which no overlap explains; two disks by up to 2.3" }
end

return M
