-- Esbaugh 2010, Chapter 6: which nodes a job gets, when jobs of other slices stay in memory.
--
-- Three ways to choose nodes are compared on the same jobs: first-free (FF), intelligent node selection (AL), which
-- takes nodes with few jobs of other slices, and the two-stage allocation (TS), which looks at memory.

local published = require("published")

local models = { "MM1", "MM2", "MM3", "MM4", "MM5" }
local classes = { "long", "medium", "short", "all" } -- as in the thesis' tables
local FF, AL = { nodes = "first-free" }, { nodes = "fewest-foreign" }

-- What counts as reproduced. The single cells of the tables are not: the thesis' own figures for one memory model
-- differ from table to table, so other workloads must have been behind each. The bands hold for all of them.
local bands = {
  FF = { 0.5, 15 },  -- TS against FF: less overhead, percent
  AL = { -0.5, 8 },  -- TS against AL
  AL_FF = { 0, 8 },  -- AL against FF; 0.6 to 7.2 follows from the tables
  rrt = { -5, 5 },   -- relative response times hardly change
  share = { 0.5, 4 }, -- of the processing
}

local function TS(first, second) return { nodes = "memory-fit", fit_enough = first, fit_rest = second } end

local function number_of_jobs(lab) return lab.quick and 3000 or 10000 end

--- Runs of the synthetic workloads under a memory model, one per seed.
local function synthetic(lab, memory, choice)
  local params = table.copy(choice)
  params.memory = memory
  return lab.runs("synthetic.toml", { workload = { lublin = { jobs = number_of_jobs(lab) } }, policy = { params = params } })
end

-- Figures of one run.
local function overhead(summary) return summary.slices.overhead end

local function relative_response(summary, class)
  local group = class == "all" and summary.all or summary.by_class[class]
  return group.relative_response_time.mean
end

-- Figures of two runs on the same jobs: by how many percent the first needs less.
local function less_overhead(new, old) return 100 * (1 - overhead(new) / overhead(old)) end

local function less_response(class)
  return function(new, old) return 100 * (1 - relative_response(new, class) / relative_response(old, class)) end
end

-- Tables 4 to 7: one combination of fits under all memory models.

local function states_cells(lab, name, memory, new, old, cell)
  lab.row {
    quantity = ("TS-vs-%s.overhead.%s"):format(name, memory), unit = "%", published = cell.overhead,
    values = lab.compare(new, old, less_overhead), band = bands[name],
    finding = "memory-aware allocation has less overhead",
    chart = { title = "Less overhead with TS", axis = "memory model" }, at = memory, series = "than " .. name,
  }
  for i, class in ipairs(classes) do
    lab.row {
      quantity = ("TS-vs-%s.RRT.%s.%s"):format(name, memory, class), unit = "%", published = cell.rrt[i] or nil,
      values = lab.compare(new, old, less_response(class)), band = bands.rrt,
      note = not cell.rrt[i] and "the published number is lost" or nil,
      chart = { title = "Shorter relative response times with TS than with " .. name, axis = "memory model" },
      at = memory, series = class,
    }
  end
end

--- The memory model under which an allocation saves most, by the means over the seeds: 5 is MM5.
local function largest(lab, new, old)
  local best, most = 0, -math.huge
  for i in ipairs(models) do
    local saved = lab.mean(lab.compare(new[i], old[i], less_overhead))
    if saved > most then best, most = i, saved end
  end
  return best
end

local function fit_table(data)
  return {
    label = data.label,
    title = ("two-stage allocation, %s fit and %s fit, under five memory models"):format(data.first, data.second),
    run = function(lab)
      local ts, ff, al = {}, {}, {}
      for i, memory in ipairs(models) do
        ts[i] = synthetic(lab, memory, TS(data.first, data.second))
        ff[i], al[i] = synthetic(lab, memory, FF), synthetic(lab, memory, AL)
      end
      for i, memory in ipairs(models) do
        states_cells(lab, "FF", memory, ts[i], ff[i], data[memory].FF)
        states_cells(lab, "AL", memory, ts[i], al[i], data[memory].AL)
      end
      lab.row {
        quantity = "TS-vs-FF.overhead.largest", unit = "MM",
        published = tonumber(data.largest:sub(3)), obtained = largest(lab, ts, ff), seeds = #lab.seeds,
        band = data.largest == "MM5" and { 5, 5 } or { 4, 5 },
      }
    end,
  }
end

-- What the chapter says in words.

--- In how many memory models TS < AL < FF in the means of the overhead.
local function ordered_models(lab, ts, al, ff)
  local count = 0
  for i in ipairs(models) do
    local a, b, c = lab.mean(lab.each(ts[i], overhead)), lab.mean(lab.each(al[i], overhead)), lab.mean(lab.each(ff[i], overhead))
    if a < b and b < c then count = count + 1 end
  end
  return count
end

-- The thesis has one number for all of its experiments, "about 1.5 % of the processing", which can be read in two ways.
local shares = {
  {
    name = "overhead-share", of = "overhead_share_by_nodes", series = "weighted by nodes",
    note = "weighted by nodes; TS with best and worst fit",
  },
  {
    name = "overhead-share-of-run-times", of = "overhead_share", series = "plain sums",
    note = "plain sums over jobs; TS with best and worst fit",
  },
}

local share_chart = { title = "Loading and swapping, of the run times", axis = "memory model" }

local function states_shares(lab, runs)
  for _, share in ipairs(shares) do
    local sums = {}
    for i, memory in ipairs(models) do
      local values = lab.each(runs[i], function(s) return 100 * s.slices[share.of] end)
      lab.row {
        quantity = share.name .. "." .. memory, unit = "%", values = values, chart = share_chart, at = memory,
        series = share.series,
      }
      for seed, value in ipairs(values) do sums[seed] = (sums[seed] or 0) + value / #models end
    end
    lab.row {
      quantity = share.name .. ".all", unit = "%", published = 1.5, values = sums, band = bands.share, note = share.note,
      finding = "loading and swapping take about 1.5 % of the processing",
      chart = share_chart, at = "all", series = share.series,
    }
  end
end

local function findings(lab)
  local ff, al, ts = {}, {}, {}
  for i, memory in ipairs(models) do ff[i], al[i] = synthetic(lab, memory, FF), synthetic(lab, memory, AL) end
  for _, fits in ipairs(published.synthetic) do
    local runs = {}
    for i, memory in ipairs(models) do runs[i] = synthetic(lab, memory, TS(fits.first, fits.second)) end
    ts[#ts + 1] = { name = fits.first .. "-" .. fits.second, judged = fits.first == "best", runs = runs }
  end
  for i, memory in ipairs(models) do
    lab.row {
      quantity = "AL-vs-FF.overhead." .. memory, unit = "%", values = lab.compare(al[i], ff[i], less_overhead),
      band = bands.AL_FF, finding = "intelligent node selection has less overhead than first-free",
      chart = { title = "Less overhead with AL than with FF", axis = "memory model" }, at = memory,
    }
  end
  for _, fits in ipairs(ts) do
    lab.row {
      quantity = "TS-AL-FF.order." .. fits.name, unit = "of 5", published = 5,
      obtained = ordered_models(lab, fits.runs, al, ff), seeds = #lab.seeds, at_least = fits.judged and 4 or nil,
      indicative = not fits.judged and "published for all fits, but only best fit in the first stage is judged" or nil,
    }
  end
  states_shares(lab, ts[1].runs)
  for _, figure in ipairs { "utilization", "utilization-without-loading" } do
    lab.row {
      quantity = figure, unit = "%", published = 82.5, band = { 80, 85 }, note = "published as 80 to 85; AL under MM5",
      values = lab.each(al[5], function(s)
        return 100 * (figure == "utilization" and s.utilization or s.slices.utilization_without_loading)
      end),
    }
  end
end

-- The older model: a flat cost of 60 s at each switch of slices, three an hour at most.
local flat_chart = { title = "A flat cost of a minute a switch", axis = "interval" }

local function flat_overhead(lab)
  local by = {}
  for _, minutes in ipairs { 60, 45, 30 } do
    by[minutes] = lab.runs("synthetic.toml", {
      workload = { lublin = { jobs = number_of_jobs(lab) } },
      policy = { params = { memory = "none", nodes = "first-free", interval = 60 * minutes } },
    })
  end
  for _, minutes in ipairs { 60, 45, 30 } do
    local runs = by[minutes]
    local share = 100 * 3 * 60 / (60 * minutes)
    lab.row {
      quantity = ("flat.overhead-share.%d-min"):format(minutes), unit = "%", published = share,
      values = lab.each(runs, function(s) return 100 * 60 * s.slices.slices / s.makespan end),
      band = { share * 2 / 3, share * 1.05 }, note = "two switches an interval, and a third where short jobs wait",
      chart = flat_chart, at = ("%d min"):format(minutes), series = "of the time",
    }
    lab.row {
      quantity = ("flat.overhead-share-of-run-times.%d-min"):format(minutes), unit = "%",
      values = lab.each(runs, function(s) return 100 * s.slices.overhead_share end),
      chart = flat_chart, at = ("%d min"):format(minutes), series = "of the run times",
    }
  end
end

-- Table 2: the shares of the classes in the jobs.
local function workloads(lab)
  local runs = synthetic(lab, "MM5", FF)
  for _, class in ipairs { "short", "medium", "long" } do
    local share = published.shares.jobs[class]
    lab.row {
      quantity = "jobs." .. class, unit = "%", published = share, band = { share - 0.7, share + 0.7 },
      values = lab.each(runs, function(s) return 100 * s.by_class[class].jobs / s.nb_jobs end),
      chart = { title = "Share of the jobs", axis = "class" }, at = class,
    }
  end
end

-- Tables 8 and 9: real logs. How much is saved depends on what is not published, so only the sign is judged.
local function log_table(label, title, scenario, logs)
  local chart = { title = "Less overhead with TS on " .. title, axis = "fits" }

  local function skip(lab, quantity, number, at, series)
    lab.row {
      quantity = quantity, unit = "%", published = number, chart = chart, at = at, series = series,
      skipped = ("none of %s is there: get the log from the Parallel Workloads Archive, and give its folder with --traces")
        :format(table.concat(logs.names, ", ")),
    }
  end

  local function run(lab)
    local trace = lab.trace(logs.names)
    local is_head = trace and logs.head and trace:find(logs.head, 1, true)
    local function simulated(choice)
      local overrides = { workload = { trace = trace, first = number_of_jobs(lab) }, policy = { params = choice } }
      return logs.drawn and lab.runs(scenario, overrides) or { lab.run(scenario, overrides) }
    end
    local ff, al = trace and simulated(FF), trace and simulated(AL)
    local cells = {}
    for i, fits in ipairs(published.logs[label]) do
      local runs = trace and simulated(TS(fits.first, fits.second))
      cells[i] = { fits = fits, name = ("TS-%s-%s"):format(fits.first, fits.second), runs = runs }
    end
    for _, cell in ipairs(cells) do
      for _, other in ipairs { { "FF", ff }, { "AL", al } } do
        local quantity, number = ("%s-vs-%s.overhead"):format(cell.name, other[1]), cell.fits[other[1]]
        local at, series = cell.fits.first .. ", " .. cell.fits.second, "than " .. other[1]
        if trace then
          lab.row {
            quantity = quantity, unit = "%", published = number, values = lab.compare(cell.runs, other[2], less_overhead),
            at_least = 0, finding = "memory-aware allocation has less overhead", note = logs.note,
            indicative = is_head and "the head of the log alone: too few jobs to judge" or nil,
            chart = chart, at = at, series = series,
          }
        else
          skip(lab, quantity, number, at, series)
        end
      end
    end
  end

  local seeds = not logs.drawn and 1 or nil -- nothing is drawn
  return { label = label, title = title, seeds = seeds, full_seeds = seeds, run = run }
end

local experiments = { { label = "T2", title = "the synthetic workloads", run = workloads } }
for _, data in ipairs(published.synthetic) do experiments[#experiments + 1] = fit_table(data) end
experiments[#experiments + 1] = log_table("T8", "SDSC Blue Horizon", "sdsc_blue.toml", {
  names = { "SDSC-BLUE-2000-4.2-cln.swf.gz", "SDSC-BLUE-2000-4.2-cln.swf", "SDSC-BLUE-2000_via-predictsim.swf.gz" },
  drawn = true, -- its jobs' memory is
  note = "only the sign is judged: the thesis does not name the model that this memory was drawn from",
})
experiments[#experiments + 1] = log_table("T9", "LANL CM-5", "lanl_cm5.toml", {
  names = { "LANL-CM5-1994-4.1-cln.swf.gz", "LANL-CM5-1994-4.1-cln.swf", "LANL-CM5-1994-4.1-cln_first155.swf.gz" },
  head = "_first",
  note = "only the sign is judged",
})
experiments[#experiments + 1] = { label = "Ch6", title = "what the chapter says in words", run = findings }
experiments[#experiments + 1] = { label = "Ch6-flat", title = "a flat cost of slice switches instead", run = flat_overhead }

return {
  api = 1,
  title = "Esbaugh 2010: memory-aware node allocation under coarse-grain time slices (Scojo-PECT)",
  seeds = 10,
  quick_seeds = 3,
  experiments = experiments,
}
