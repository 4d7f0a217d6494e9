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
            quantity = ("%s.RR.%s.block-%d"):format(shown, class, size), values = lab.each(list, relative_response(class)),
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

  --- Other readings of "only coscheduling": what a pair competes with. "fitted" is the one that was found by its results.
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
      quantity = "offered-load", values = lab.each(by.ssp, function(s) return s.workload.adjusted.offered_load_after end),
    }
  end

  return M
end
