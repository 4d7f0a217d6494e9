-- Zeng 2009: block sizes (Figure 15), and readings of what the thesis leaves open.

local published = require("published")

local sizes = { 4, 8, 12, 16, 20, 24, 32 }

--- `tools`: what paper.lua makes its rows with.
return function(tools)
  local runs, classes, relative_response = tools.runs, tools.classes, tools.relative_response
  local less, more = tools.less, tools.more
  local M = {}

  --- The runs of Figure 15, by policy and block size.
  local function by_block(lab)
    local by = { ts = {}, fbo = {}, ns = {} }
    local wanted = { ts = sizes, fbo = lab.full and sizes or { 4, 24, 32 }, ns = lab.full and sizes or { 12 } }
    for name, list in pairs(wanted) do
      for _, size in ipairs(list) do by[name][size] = runs(lab, "w2", name, { block_size = size }) end
    end
    return by, runs(lab, "w2", "ssp"), runs(lab, "w2", "nh")
  end

  local function lines(lab, by, class)
    for _, size in ipairs(sizes) do
      for _, name in ipairs { "ts", "fbo", "ns" } do
        local list, shown = by[name][size], name == "ts" and "GLTS" or name:upper()
        if list then
          lab.row {
            quantity = ("%s.RR.%s.block-%d"):format(shown, class, size),
            values = lab.each(list, relative_response(class)),
            chart = { title = "Relative response times under W2, " .. class, axis = "jobs in a block" }, at = size,
            series = shown,
          }
        end
      end
    end
  end

  --- Each block size beside the published best, on the same jobs: seeds differ by much more than sizes do.
  local function differences(lab, by, class)
    local best = published.best_block
    for _, size in ipairs(sizes) do
      if size ~= best then
        local outer = size == 4 or size == 32
        lab.row {
          quantity = ("GLTS.RR.%s.block-%d-vs-%d"):format(class, size, best), unit = "%",
          estimate = more(lab, by.ts[size], by.ts[best], relative_response(class)), at_least = outer and 0 or nil,
          finding = outer and "the best size lies between the smallest and the largest" or nil,
          chart = { title = "Longer relative response times than with blocks of " .. best, axis = "jobs in a block" },
          at = size, series = class,
        }
      end
    end
  end

  --- Figure 15 in words: what the heuristics are good for.
  local function variants(lab, by, nh, class)
    local figure = relative_response(class)
    lab.row {
      quantity = "FBO-vs-GLTS.RR." .. class .. ".block-4", unit = "%", at_least = 0,
      estimate = more(lab, by.fbo[4], by.ts[4], figure), note = "published as \"much worse\"",
    }
    for _, size in ipairs { 24, 32 } do
      lab.row {
        quantity = ("FBO-vs-GLTS.RR.%s.block-%d"):format(class, size), unit = "%", published = 0, band = { -3, 3 },
        estimate = more(lab, by.fbo[size], by.ts[size], figure), note = "published as \"similar\"",
      }
    end
    for _, other in ipairs { { "NS", by.ns[12] }, { "NH", nh } } do
      lab.row {
        quantity = ("%s-vs-GLTS.RR.%s.block-12"):format(other[1], class), unit = "%", at_least = 0,
        estimate = more(lab, other[2], by.ts[12], figure), note = "published as worse",
      }
    end
  end

  function M.blocks(lab)
    local by, ssp, nh = by_block(lab)
    for _, class in ipairs(classes) do
      local figure = relative_response(class)
      lab.row {
        quantity = "SSP.RR." .. class, published = published.saturated[class], values = lab.each(ssp, figure),
        fitted = "the bound of relative response times, 600 s",
        note = "it cannot handle the load, so that these depend on how many jobs there are",
      }
      lab.row { quantity = "NH.RR." .. class, values = lab.each(nh, figure) }
      lines(lab, by, class)
    end
    for _, class in ipairs(classes) do differences(lab, by, class) end
    for _, class in ipairs { "medium", "long" } do variants(lab, by, nh, class) end
    lab.row {
      quantity = "SSP-vs-GLTS.makespan", unit = "%", at_least = 3, estimate = more(lab, ssp, by.ts[16], tools.makespan),
      finding = "space sharing cannot handle W2, groups can",
    }
    lab.row {
      quantity = "SSP-to-GLTS.RR.long", at_least = 2, finding = "space sharing cannot handle W2, groups can",
      estimate = lab.estimate(function(a, b) return a / b end, lab.each(ssp, relative_response("long")),
        lab.each(by.ts[16], relative_response("long"))),
    }
  end

  --- Other readings of "only coscheduling": what a pair competes with. "fitted" is the one that was found by its
  --- results.
  function M.pairs(lab)
    local glts, shown = runs(lab, "w1", "ts"), { always = "Case 5 for all", ["not-first"] = "not for the first job",
      never = "for none" }
    local by = {}
    for _, name in ipairs { "cst", "cstws" } do
      by[name] = {}
      for _, which in ipairs { "always", "not-first", "never" } do
        local params = which ~= "always" and { alone_on_all_cores = which } or nil
        by[name][which] = runs(lab, "w1", name, params)
      end
    end
    for _, name in ipairs { "cst", "cstws" } do
      for _, which in ipairs { "always", "not-first", "never" } do
        local list = by[name][which]
        local fitted = which == "not-first" and "for which jobs all cores are among the choices" or nil
        local place = { title = ("Shorter relative response times with GLTS than with %s"):format(name:upper()),
          axis = "class" }
        for _, class in ipairs(classes) do
          lab.row {
            quantity = ("GLTS-vs-%s.%s.RR.%s"):format(name:upper(), which, class), unit = "%", fitted = fitted,
            published = published.improvement[name][class], estimate = less(lab, glts, list, relative_response(class)),
            chart = place, at = class, series = shown[which],
          }
        end
        lab.row {
          quantity = ("GLTS-vs-%s.%s.cores"):format(name:upper(), which), unit = "%", fitted = fitted,
          published = published.improvement[name].cores, estimate = more(lab, glts, list, tools.busy_cores),
        }
      end
    end
  end

  --- What the thesis publishes of a workload that depends on how many jobs there are, or on how they arrive.
  local function workload_rows(lab, by, W2, W2_ssp, indicative)
    for _, name in ipairs { "ssp", "cst", "cstws" } do tools.improvements(lab, by.ts, by[name], name, indicative) end
    for _, of in ipairs { { "W1", by.ts }, { "W2", W2 } } do
      lab.row {
        quantity = "groups." .. of[1], published = published.groups[of[1]], at = of[1],
        chart = { title = "Groups", axis = "workload" }, values = lab.each(of[2], tools.group_count),
        note = "published as \"about\"",
      }
    end
    lab.row {
      quantity = "GLTS-vs-SSP.makespan", unit = "%", published = 0, estimate = more(lab, by.ts, by.ssp, tools.makespan),
      note = "the overall utilization is the same",
    }
    lab.row {
      quantity = "GLTS-vs-SSP.cores", unit = "%", published = published.improvement.ssp.cores,
      estimate = more(lab, by.ts, by.ssp, tools.busy_cores),
    }
    for _, class in ipairs(classes) do
      lab.row {
        quantity = "SSP.RR.W2." .. class, published = published.saturated[class],
        values = lab.each(W2_ssp, relative_response(class)),
        chart = { title = "Relative response times of SSP under W2", axis = "class" }, at = class,
      }
    end
  end

  --- The thesis does not say how many jobs there were: what grows as the queue does, with more of them.
  function M.more_jobs(lab)
    local by, count = {}, 25000
    for _, name in ipairs { "ssp", "cst", "cstws", "ts" } do by[name] = runs(lab, "w1", name, nil, nil, count) end
    workload_rows(lab, by, runs(lab, "w2", "ts", nil, nil, count), runs(lab, "w2", "ssp", nil, nil, count),
      "two seeds only")
  end

  --- Arrivals with the model's factor for rush hours, ARAR, which the thesis does not mention.
  function M.arar(lab)
    local by, with = {}, { arar = true }
    for _, name in ipairs { "ssp", "cst", "cstws", "ts" } do by[name] = runs(lab, "w1", name, nil, nil, nil, with) end
    local W2 = runs(lab, "w2", "ts", nil, nil, nil, with)
    workload_rows(lab, by, W2, runs(lab, "w2", "ssp", nil, nil, nil, with), "another workload")
    lab.row {
      quantity = "searches-with-few-candidates", unit = "%", published = published.few_candidates,
      values = lab.each(by.ts, function(s) return 100 * s.sharing.few_candidates_share end),
    }
    lab.row {
      quantity = "offered-load",
      values = lab.each(by.ssp, function(s) return s.workload.adjusted.offered_load_after end),
    }
  end

  -- Alphas with half of what the factor for rush hours, 1.0225, adds.
  local half = { w1 = 10.33 * 1.01125, w2 = 9.83 * 1.01125 }

  --- What tells the loads apart: gains under W1, and what else is published of either workload.
  local function rows_of_load(lab, of, setting)
    local function row(quantity, number, r)
      r.quantity, r.published = ("%s.%s"):format(setting, quantity), number
      lab.row(r)
    end
    local gains, saturated = "Shorter relative response times with GLTS than with SSP, W1",
      "Relative response times of SSP, W2"
    for _, class in ipairs(classes) do
      row("GLTS-vs-SSP.RR." .. class, published.improvement.ssp[class], {
        unit = "%", estimate = less(lab, of.ts, of.ssp, relative_response(class)),
        chart = { title = gains, axis = "class" }, at = class, series = setting,
      })
      row("SSP.RR.W2." .. class, published.saturated[class], {
        values = lab.each(of.W2_ssp, relative_response(class)),
        chart = { title = saturated, axis = "class" }, at = class, series = setting,
      })
    end
    row("GLTS-vs-SSP.makespan", 0, { unit = "%", estimate = more(lab, of.ts, of.ssp, tools.makespan) })
    row("GLTS-vs-SSP.cores", published.improvement.ssp.cores,
      { unit = "%", estimate = more(lab, of.ts, of.ssp, tools.busy_cores) })
    row("searches-with-few-candidates", published.few_candidates,
      { unit = "%", values = lab.each(of.ts, function(s) return 100 * s.sharing.few_candidates_share end) })
    row("offered-load", nil, {
      values = lab.each(of.ssp, function(s) return s.workload.adjusted.offered_load_after end) })
  end

  --- Without the factor W1 gains what is published, with it other things are as published: is there a load for both?
  function M.loads(lab)
    local by, settings = {}, { "without", "half", "with" }
    for _, setting in ipairs(settings) do
      local function ask(workload, name)
        local model = { arar = setting == "with" or nil, alpha = setting == "half" and half[workload] or nil }
        return runs(lab, workload, name, nil, nil, nil, model)
      end
      by[setting] = { ts = ask("w1", "ts"), ssp = ask("w1", "ssp"), W2_ssp = ask("w2", "ssp") }
    end
    for _, setting in ipairs(settings) do rows_of_load(lab, by[setting], setting) end
  end

  --- Of the jobs that a way of rounding makes: how many sizes are powers of two, the load, and Section 4.9's own check.
  local function rows_of_sizes(lab, rounding, ssp, given)
    local powers = {}
    for i, run in ipairs(ssp) do powers[i] = tools.shares_of(run).powers_of_two end
    lab.row {
      quantity = rounding .. ".powers-of-two", unit = "%", published = published.shares.powers_of_two, values = powers,
      note = "of the parallel jobs",
    }
    lab.row {
      quantity = rounding .. ".load-to-given", unit = "%", published = 0, note = "published as \"similar\"",
      values = lab.each(ssp, function(s)
        local adjusted = s.workload.adjusted
        return 100 * (adjusted.offered_load_after / adjusted.offered_load_before - 1)
      end),
    }
    for _, class in ipairs(classes) do
      lab.row {
        quantity = ("%s.adjusted-vs-given.RR.%s"):format(rounding, class), unit = "%", published = 0,
        estimate = more(lab, ssp, given, relative_response(class)), note = "published as \"similar\"",
        chart = { title = "Longer relative response times of SSP on adjusted sizes", axis = "class" }, at = class,
        series = rounding,
      }
    end
  end

  --- Figures 13 to 15 on those jobs.
  local function rows_of_figures(lab, rounding, by)
    for _, name in ipairs { "ssp", "cst", "cstws" } do
      for _, class in ipairs(classes) do
        lab.row {
          quantity = ("%s.GLTS-vs-%s.RR.%s"):format(rounding, name:upper(), class), unit = "%",
          published = published.improvement[name][class],
          estimate = less(lab, by.ts, by[name], relative_response(class)),
          chart = { title = ("Shorter relative response times with GLTS than with %s"):format(name:upper()),
            axis = "class" },
          at = class, series = rounding,
        }
      end
      lab.row {
        quantity = ("%s.GLTS-vs-%s.cores"):format(rounding, name:upper()), unit = "%",
        published = published.improvement[name].cores, estimate = more(lab, by.ts, by[name], tools.busy_cores),
        chart = { title = "More cores in use with GLTS", axis = "than" }, at = name:upper(), series = rounding,
      }
    end
    for _, class in ipairs(classes) do
      local figure = relative_response(class)
      lab.row {
        quantity = ("%s.SSP.RR.W2.%s"):format(rounding, class), published = published.saturated[class],
        values = lab.each(by.W2_ssp, figure),
        chart = { title = "Relative response times of SSP under W2", axis = "class" },
        at = class, series = rounding,
      }
      lab.row {
        quantity = ("%s.GLTS.RR.%s.block-4-vs-12"):format(rounding, class), unit = "%",
        estimate = more(lab, by.W2[4], by.W2[12], figure),
        chart = { title = "Longer with blocks of 4 than of 12, W2", axis = "class" }, at = class, series = rounding,
      }
    end
  end

  --- Three ways to round Equation 7: all sizes by the formula (the default here), powers of two multiplied by the
  --- processes per node, or made the power of two below or above the formula's number, in the mean that number.
  function M.powers_of_two(lab)
    local given = runs(lab, "nodes", "ssp", tools.nodes_only)
    local by, roundings = {}, { "formula", "power-of-two", "drawn-power-of-two" }
    for _, rounding in ipairs(roundings) do
      local model = { rounding = rounding }
      local list = { W2 = {}, W2_ssp = runs(lab, "w2", "ssp", nil, nil, nil, model) }
      for _, name in ipairs { "ssp", "cst", "cstws", "ts" } do
        list[name] = runs(lab, "w1", name, nil, name == "ssp" and { jobs = true } or nil, nil, model)
      end
      for _, size in ipairs { 4, 12 } do
        list.W2[size] = runs(lab, "w2", "ts", { block_size = size }, nil, nil, model)
      end
      by[rounding] = list
    end
    for _, rounding in ipairs(roundings) do
      rows_of_sizes(lab, rounding, by[rounding].ssp, given)
      rows_of_figures(lab, rounding, by[rounding])
    end
  end

  return M
end
