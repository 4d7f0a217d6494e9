-- Weng, Yang, Yu, Wang, Tang, Yang & Zhang 2023 (FGD), Section 6: six ways to place pods that ask for shares of GPUs,
-- on the cluster of a trace of Alibaba. What is published are the tables of the authors' repository. They, the lists of
-- nodes and pods, and the orders in which these came are data that is not part of coslice (`--data`).

local deterministic = { "DotProd", "GpuClustering", "GpuPacking", "BestFit", "FGD" }
local all = { "Random", "DotProd", "GpuClustering", "GpuPacking", "BestFit", "FGD" }
local policy = {
  Random = "random_fit", DotProd = "dotprod", GpuClustering = "gpu_clustering", GpuPacking = "gpu_packing",
  BestFit = "best_fit", FGD = "fgd",
}
local shown = { 50, 60, 70, 80, 90, 100, 110, 120, 130 } -- per cent of the machine's GPUs that have arrived

local exact = 0.02 -- percentage points by which a point may differ

local function skip(lab, what)
  lab.row { quantity = what, skipped = "the data of the study: --data DIR" }
end

--- The workloads whose list of pods is there, and the published runs by workload, policy and seed.
local function study(lab, table_name)
  local path, nodes = lab.data(table_name), lab.data("nodes.csv")
  if not path or not nodes then return nil end
  local published = {}
  for _, row in ipairs(lab.csv(path)) do
    local of_workload = published[row.workload] or {}
    local of_policy = of_workload[row.policy] or {}
    of_policy[#of_policy + 1] = row
    of_workload[row.policy] = of_policy
    published[row.workload] = of_workload
  end
  local workloads = {}
  for _, file in ipairs(lab.files("pods")) do
    local name = file:match("^openb_pod_list_(.+)%.csv%.gz$") or file:match("^openb_pod_list_(.+)%.csv$")
    if name and published[name] then
      workloads[#workloads + 1] = {
        name = name, pods = lab.data("pods/" .. file), nodes = nodes, published = published[name],
        pod_order = lab.data("order/pod_order_" .. name .. ".csv.gz"),
        node_order = lab.data("order/node_rank_" .. name .. ".csv.gz"),
      }
    end
  end
  return #workloads > 0 and workloads or nil
end

--- The run that the published one of this row repeats.
local function repeated(lab, w, row)
  local column = ("s%d"):format(row.seed)
  return lab.run("study.toml", {
    seed = math.tointeger(row.seed),
    machine = { list = w.nodes, order = w.node_order, order_column = w.node_order and column },
    workload = { trace = w.pods, pods = { order = w.pod_order, order_column = w.pod_order and column } },
    policy = { name = policy[row.policy] },
  })
end

--- A run with arrivals and an order of nodes of its own.
local function drawn(lab, w, name, seed)
  return lab.run("study.toml", {
    seed = seed, machine = { list = w.nodes, random_order = true },
    workload = { trace = w.pods, pods = { demand = 1.3 } }, policy = { name = policy[name] },
  })
end

--- The published runs of a policy that are repeated: as many as there are seeds.
local function rows_of(lab, w, name)
  local rows = {}
  for i, row in ipairs(w.published[name] or {}) do
    if i <= #lab.seeds then rows[i] = row end
  end
  return rows
end

local function runs_of(lab, w, name)
  local runs = {}
  for i, row in ipairs(rows_of(lab, w, name)) do runs[i] = repeated(lab, w, row) end
  return runs
end

--- Published values at a demand, one for each run.
local function published_at(rows, x)
  local values = {}
  for i, row in ipairs(rows) do values[i] = row["a" .. x] end
  return values
end

local function obtained_at(lab, runs, curve, x)
  return lab.each(runs, function(s) return s.demand[curve][x + 1] end)
end

--- How many points there are, how many of them differ, and by how much at most.
local function differences(rows, runs, curve)
  local points, differ, most = 0, 0, 0
  for i, row in ipairs(rows) do
    local obtained = runs[i].summary.demand[curve]
    for x = 0, 1000 do
      local published = row["a" .. x]
      if not published then break end
      local difference = math.abs(published - (obtained[x + 1] or math.huge))
      points = points + 1
      if difference > exact + 1e-9 then differ = differ + 1 end
      most = math.max(most, difference)
    end
  end
  return points, differ, most
end

--- Every point of the curves of the deterministic policies, and their means at some demands.
local function curves(table_name, curve, title)
  return function(lab)
    local workloads = study(lab, table_name)
    if not workloads then return skip(lab, curve) end
    local runs = {}
    for _, w in ipairs(workloads) do
      runs[w] = {}
      for _, name in ipairs(deterministic) do
        if w.pod_order and w.node_order then runs[w][name] = runs_of(lab, w, name) end
      end
    end
    for _, w in ipairs(workloads) do
      if not (w.pod_order and w.node_order) then skip(lab, ("%s.%s"):format(curve, w.name)) end
      for name in pairs(runs[w]) do
        local rows, made = rows_of(lab, w, name), runs[w][name]
        local points, differ, most = differences(rows, made, curve)
        lab.row {
          quantity = ("%s.%s.%s.points-that-differ"):format(w.name, name, curve), unit = ("of %d"):format(points),
          published = 0, obtained = differ, seeds = #made, band = { 0, 0 },
          note = ("by more than %g points; at most by %.4f"):format(exact, most),
        }
        for _, x in ipairs(shown) do
          local published = lab.mean(published_at(rows, x))
          lab.row {
            quantity = ("%s.%s.%s.%d"):format(w.name, name, curve, x), unit = "%", published = published,
            -- Of the published orders: nothing is drawn.
            obtained = lab.mean(obtained_at(lab, made, curve, x)), seeds = #made,
            band = { published - exact, published + exact },
            chart = { title = ("%s, %s"):format(title, w.name), axis = "demand that arrived, %" },
            at = x, series = name,
          }
        end
      end
    end
  end
end

--- Random placement depends on draws that nobody has written down: its means.
local function random(lab)
  local workloads = study(lab, "expected_full_alloc.csv.gz")
  if not workloads then return skip(lab, "Random.allocation") end
  local runs = {}
  for _, w in ipairs(workloads) do
    if w.pod_order and w.node_order then runs[w] = runs_of(lab, w, "Random") end
  end
  for _, w in ipairs(workloads) do
    for _, x in ipairs(runs[w] and shown or {}) do
      local published = lab.mean(published_at(rows_of(lab, w, "Random"), x))
      local judged = x == 100 or x == 130
      lab.row {
        quantity = ("%s.Random.allocation.%d"):format(w.name, x), unit = "%", published = published,
        values = obtained_at(lab, runs[w], "allocation", x),
        band = judged and { published - 0.5, published + 0.5 } or nil,
        chart = { title = "GPUs in use, random placement", axis = "demand that arrived, %" }, at = x, series = w.name,
      }
    end
  end
end

local function deviation(lab, values)
  local mean, sum = lab.mean(values), 0
  for _, v in ipairs(values) do sum = sum + (v - mean) ^ 2 end
  return math.sqrt(sum / (#values - 1))
end

--- Arrivals that are drawn by coslice: means within what the spread of both allows.
local function own_draws(lab)
  local workloads = study(lab, "expected_full_alloc.csv.gz")
  if not workloads then return skip(lab, "drawn.allocation") end
  local runs = {}
  for _, w in ipairs(workloads) do
    runs[w] = {}
    for _, name in ipairs(all) do
      runs[w][name] = {}
      for i, seed in ipairs(lab.seeds) do runs[w][name][i] = drawn(lab, w, name, seed) end
    end
  end
  for _, w in ipairs(workloads) do
    local at_end = {}
    for _, name in ipairs(all) do
      for _, x in ipairs { 100, 130 } do
        local published = published_at(w.published[name] or {}, x)
        local mean, values = nil, obtained_at(lab, runs[w][name], "allocation", x)
        local within
        if #published > 1 then
          mean = lab.mean(published)
          within = 3 * math.sqrt(2 * deviation(lab, published) ^ 2 / #values) + 0.05
        end
        at_end[name] = lab.mean(values)
        lab.row {
          quantity = ("drawn.%s.%s.allocation.%d"):format(w.name, name, x), unit = "%", published = mean,
          values = values, band = mean and { mean - within, mean + within } or nil,
          chart = { title = ("GPUs in use, demand %d %%, arrivals drawn anew"):format(x), axis = "workload" },
          at = w.name, series = name,
        }
      end
    end
    if w.name == "default" then
      local clusters, packs = at_end.GpuClustering, at_end.GpuPacking
      local ordered = at_end.Random < at_end.DotProd and at_end.DotProd < math.min(clusters, packs)
        and math.max(clusters, packs) < at_end.BestFit and at_end.BestFit < at_end.FGD
      lab.row {
        quantity = "drawn.default.order", unit = "yes", published = 1, obtained = ordered and 1 or 0,
        seeds = #lab.seeds, band = { 1, 1 }, note = "Random < DotProd < GpuClustering, GpuPacking < BestFit < FGD",
      }
    end
  end
end

return {
  api = 1,
  title = "Weng et al. 2023: fragmentation gradient descent on clusters that share GPUs",
  data = "gpu/fgd",
  seeds = 10,
  quick_seeds = 1,
  experiments = {
    { label = "allocation", title = "GPUs in use, by the demand that has arrived (Figures 7, 11 to 14)",
      run = curves("expected_full_alloc.csv.gz", "allocation", "GPUs in use") },
    { label = "fragmentation", title = "GPUs that typical pods cannot use, of all (Figure 9 a)",
      run = curves("expected_full_frag_amount.csv.gz", "fragmentation", "Fragmented GPUs") },
    { label = "random", title = "Random placement", run = random },
    { label = "drawn", title = "The same with arrivals that are drawn anew", run = own_draws },
  },
}
