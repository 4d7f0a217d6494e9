-- Sodan & Lan 2005, Section 6.2: LOMARC beside space sharing (PSS), coscheduling whatever comes (AC) and matching of
-- neighbours in the queue only (AM).
--
-- Two choices were made by these very results, the rest held fixed: the printed form of the slowdown (its `complete` form
-- stands beside it in the experiment "overlap"), and that jobs still to come count in the response-time impact as they
-- are printed (`future`; experiment "arrivals"). A good fit of what they were chosen by proves nothing.

local published = require("published")

local alpha = { W1 = 10.23, W2 = 9.83, W3 = 8.83 }
local workloads = { "W1", "W2", "W3" }
local mixes = { M1 = { 0.4, 0.3, 0.3 }, M2 = { 0.4, 0.1, 0.5 }, M3 = { 0.3, 0.5, 0.2 } }
local policy = {
  PSS = "lomarc_pss", AC = "lomarc_ac", AM = "lomarc_am", ["L-N"] = "lomarc_n", ["L-FM"] = "lomarc_fm",
  ["L-U1"] = "lomarc", ["L-U2"] = "lomarc_u2", ["L-R"] = "lomarc_r",
}
local compared = { "L-R", "L-U1", "L-U2", "L-FM", "L-N", "AM", "AC" }
local lomarc = { "L-R", "L-U1", "L-U2", "L-FM", "L-N" }
local best = { "L-R", "L-U1", "L-U2" }

--- One approach under a workload and a mix, a run per seed. On a standard CPU no two jobs go well together.
local function runs(lab, name, workload, mix, slowdown, params)
  local s = table.copy(slowdown or {})
  s.mix = mixes[mix or "M1"]
  if name == "L-N" then s.compatible_share = 0 end
  return lab.runs("pairs.toml", {
    workload = { lublin = { alpha = alpha[workload] } },
    policy = { name = policy[name], params = params or {} }, slowdown = s,
  })
end

local function all(lab, names, workload, mix, slowdown)
  local found = { PSS = runs(lab, "PSS", workload, mix, slowdown) }
  for _, name in ipairs(names) do found[name] = runs(lab, name, workload, mix, slowdown) end
  return found
end

--- The same under each workload: all of it is asked for before anybody looks at a result.
local function by_workload(lab, names, mix, slowdown)
  local by = {}
  for _, w in ipairs(workloads) do by[w] = all(lab, names, w, mix, slowdown) end
  return by
end

-- Figures of one run.
local function response(s) return s.all.response.mean end
local function relative_response(s) return s.all.relative_response_time.mean end
local function makespan(s) return s.makespan end
local function queue(s) return s.mean_queue_length end

local function mean_of(lab, list, figure) return lab.mean(lab.each(list, figure)) end

--- Percent by which the mean over the seeds is lower than another one. Seeds differ so much that means are compared, not
--- the ratios of single seeds; the interval is the jackknife's (Quenouille 1956): these are its pseudo-values.
local function reduction(lab, new, old, figure, of)
  of = of or function(a, b) return 100 * (1 - a / b) end
  local a, b = lab.each(new, figure), lab.each(old, figure)
  local n = #a
  local sum_a, sum_b = lab.mean(a) * n, lab.mean(b) * n
  local whole = of(sum_a, sum_b)
  if n < 2 then return { whole } end
  local values = {}
  for i = 1, n do values[i] = n * whole - (n - 1) * of(sum_a - a[i], sum_b - b[i]) end
  return values
end

--- Percent by which the efficiency is higher: the jobs' work is the same, so that only the makespan differs.
local function efficiency_gain(lab, new, old)
  return reduction(lab, new, old, makespan, function(a, b) return 100 * (b / a - 1) end)
end

local bands = {
  response = {
    ["L-R"] = { W1 = { 40, 55 }, W2 = { 40, 80 }, W3 = { 40, 80 } },
    ["L-FM"] = { W1 = { 30, 45 } },
    ["L-N"] = { W1 = { 15, 35 } },
  },
  relative_response = {
    ["L-R"] = { W1 = { 35, 55 } }, ["L-FM"] = { W1 = { 25, 50 } }, ["L-N"] = { W1 = { 0, 20 } },
  },
  efficiency = {
    ["L-U1"] = { W1 = { 0, 9 }, W2 = { 8, 22 }, W3 = { 30, 45 } }, ["L-FM"] = { W3 = { 15, 35 } },
  },
}

local function at(t, name, workload) return t[name] and t[name][workload] end

--- Rows of every approach against PSS under every workload.
local function against_pss(lab, what, figure, of_paper, limits, title)
  local by = by_workload(lab, compared)
  for _, w in ipairs(workloads) do
    local found = by[w]
    for _, name in ipairs(compared) do
      local band = at(limits, name, w)
      lab.row {
        quantity = ("%s-vs-PSS.%s.%s"):format(name, what, w), unit = "%", published = at(of_paper, name, w),
        values = reduction(lab, found[name], found.PSS, figure), band = band,
        at_least = not band and name ~= "AC" and 0 or nil, at_most = name == "AC" and 0 or nil,
        finding = name == "AC" and "pairing whatever comes is worse than no sharing" or name .. " is better than no sharing",
        chart = { title = title, axis = "workload" }, at = w, series = name,
      }
    end
  end
end

--- Whether each group of approaches has lower means than the next.
local function in_order(lab, found, figure, groups)
  for i = 1, #groups - 1 do
    for _, a in ipairs(groups[i]) do
      for _, b in ipairs(groups[i + 1]) do
        if mean_of(lab, found[a], figure) >= mean_of(lab, found[b], figure) then return 0 end
      end
    end
  end
  return 1
end

local function orders(lab)
  local found = all(lab, compared, "W1")
  lab.row {
    quantity = "order.L-R,U1,U2<FM<N<AM<PSS<AC", unit = "yes", published = 1, band = { 1, 1 }, seeds = #lab.seeds,
    obtained = in_order(lab, found, response, { best, { "L-FM" }, { "L-N" }, { "AM" }, { "PSS" }, { "AC" } }),
  }
  lab.row {
    quantity = "L-U1-over-L-U2.response.W1", unit = "%", published = nil, at_most = 3,
    values = reduction(lab, found["L-U1"], found["L-U2"], response, function(a, b) return 100 * (a / b - 1) end),
    finding = "L-U1 is at least as good as L-U2",
  }
  lab.row {
    quantity = "L-R-over-L-U1.response.W1", unit = "%", band = { -8, 8 },
    values = reduction(lab, found["L-R"], found["L-U1"], response, function(a, b) return 100 * (a / b - 1) end),
    finding = "L-U1 gives almost the same results as L-R",
  }
  for _, w in ipairs { "W2", "W3" } do
    local heavier = all(lab, compared, w)
    local met = 0
    for _, name in ipairs(lomarc) do
      if in_order(lab, heavier, response, { { name }, { "AM" }, { "PSS" }, { "AC" } }) == 1 then met = met + 1 end
    end
    lab.row {
      quantity = "better-than-AM,PSS,AC.response." .. w, unit = "of 5", published = 5, obtained = met, seeds = #lab.seeds,
      band = { 5, 5 },
    }
  end
  local growing = 0
  for _, name in ipairs(lomarc) do
    local gain = {}
    for i, w in ipairs(workloads) do
      local list = all(lab, { name }, w)
      gain[i] = 1 - mean_of(lab, list[name], response) / mean_of(lab, list.PSS, response)
    end
    if gain[1] < gain[2] and gain[1] < gain[3] then growing = growing + 1 end
  end
  lab.row {
    quantity = "gain-grows-from-W1.response", unit = "of 5", published = 5, obtained = growing, seeds = #lab.seeds,
    band = { 5, 5 },
  }
end

local function efficiency(lab)
  local by = by_workload(lab, lomarc)
  for _, w in ipairs(workloads) do
    local found = by[w]
    for _, name in ipairs(lomarc) do
      lab.row {
        quantity = ("%s-vs-PSS.efficiency.%s"):format(name, w), unit = "%", published = at(published.efficiency, name, w),
        values = efficiency_gain(lab, found[name], found.PSS), band = at(bands.efficiency, name, w),
        at_least = not at(bands.efficiency, name, w) and 0 or nil, finding = "sharing makes the machine more efficient",
        chart = { title = "Higher efficiency than without sharing", axis = "workload" }, at = w, series = name,
      }
    end
    lab.row {
      quantity = "L-R-vs-PSS.makespan." .. w, unit = "%", published = published.makespan[w],
      values = reduction(lab, found["L-R"], found.PSS, makespan), band = w == "W3" and { 22, 35 } or nil,
      note = "by definition E grows by 1 / (1 - this) - 1: the paper's pairs of makespan and E do not",
      chart = { title = "Shorter makespan of L-R", axis = "workload" }, at = w,
    }
    lab.row { quantity = "PSS.utilization." .. w, values = lab.each(found.PSS, function(s) return s.utilization end) }
  end
  lab.row {
    quantity = "PSS.makespan.W1", unit = "weeks", published = 10, band = { 10, 11.5 },
    values = lab.each(runs(lab, "PSS", "W1"), function(s) return s.makespan / 604800 end),
  }
end

-- Table 5: means over the searches that found a partner. Over all searches, most of which leave nobody in the end, the
-- columns come out at half of what is published, while which one was chosen is what it is.

local rules = { narrower = "no wider", memory_fits = "memory fits", matchable = "match", slowdown = "slowdown" }
local columns = { "queue", "medium_or_long", "narrower", "memory_fits", "matchable", "slowdown", "chosen" }

local function note(name)
  return function(s) return s.notes["search." .. name] and s.notes["search." .. name].mean or 0 end
end

--- What the rules leave of what those before them left.
local function counts(lab, name, w)
  local list = runs(lab, name, w)
  local cells = published.counts[name][w]
  lab.row {
    quantity = ("%s.queue.%s"):format(name, w), published = cells[1], values = lab.each(list, queue),
    band = name == "L-U1" and ({ W1 = { 12, 40 }, W3 = { 150, 300 } })[w] or nil,
    chart = { title = "Mean queue", axis = "workload" }, at = w, series = name,
  }
  lab.row {
    quantity = ("%s.queue-at-searches.%s"):format(name, w), published = cells[1], values = lab.each(list, note("queue")),
    chart = { title = "Queue at the searches that found a partner", axis = "workload" }, at = w, series = name,
  }
  local left = mean_of(lab, list, note(columns[2]))
  lab.row {
    quantity = ("%s.medium_or_long.%s"):format(name, w), published = cells[2],
    values = lab.each(list, note(columns[2])),
    chart = { title = "Medium and long jobs in that queue", axis = "workload" }, at = w, series = name,
  }
  for i = 3, 6 do
    local now = mean_of(lab, list, note(columns[i]))
    local share = cells[i] / cells[i - 1]
    lab.row {
      quantity = ("%s.%s.%s"):format(name, columns[i], w), unit = "of those before", published = share,
      obtained = now / left, seeds = #lab.seeds, band = { share - 0.12, share + 0.12 },
      chart = { title = "What each rule leaves, " .. name, axis = "rule" }, at = rules[columns[i]], series = w,
    }
    left = now
  end
  local chosen = lab.each(list, note("chosen"))
  lab.row {
    quantity = ("%s.chosen.%s"):format(name, w), published = cells[7], values = chosen,
    band = name == "L-U1" and w == "W1" and { 2, 3.49 } or nil,
    note = "which of the candidates, in the mean; published without decimals",
    chart = { title = "Which candidate was chosen", axis = "workload" }, at = w, series = name,
  }
  return lab.mean(chosen)
end

local function table5(lab)
  local chosen = {}
  for _, name in ipairs { "L-U1", "L-U2", "L-R" } do
    chosen[name] = {}
    for _, w in ipairs(workloads) do chosen[name][w] = counts(lab, name, w) end
  end
  lab.row {
    quantity = "L-R-over-L-U1.chosen.W3", published = 4 / 6, at_most = 1, seeds = #lab.seeds,
    obtained = chosen["L-R"].W3 / chosen["L-U1"].W3,
  }
  local u1 = chosen["L-U1"]
  lab.row {
    quantity = "L-U1.chosen-grows-with-load", unit = "yes", published = 1, band = { 1, 1 }, seeds = #lab.seeds,
    obtained = u1.W1 < u1.W2 and u1.W2 < u1.W3 and 1 or 0,
  }
end

-- Figure 9: other mixes.

local function other_mixes(lab)
  local gain, by = {}, {}
  for mix in pairs(mixes) do by[mix] = all(lab, lomarc, "W1", mix) end
  for mix in pairs(mixes) do
    local found = by[mix]
    gain[mix] = {}
    for _, name in ipairs(lomarc) do
      gain[mix][name] = lab.mean(reduction(lab, found[name], found.PSS, response))
      if mix ~= "M1" then
        lab.row {
          quantity = ("%s-vs-PSS.response.%s"):format(name, mix), unit = "%",
          published = mix == "M2" and published.response_M2[name] or nil,
          values = reduction(lab, found[name], found.PSS, response),
          chart = { title = "Shorter response times than without sharing, W1", axis = "mix" }, at = mix, series = name,
        }
      end
    end
    if mix == "M2" then
      lab.row {
        quantity = "L-N-vs-PSS.relative_response.M2", unit = "%", published = published.relative_response_M2["L-N"],
        values = reduction(lab, found["L-N"], found.PSS, relative_response),
      }
    end
  end
  lab.row {
    quantity = "L-N.response.M2-minus-M1", unit = "points", published = 11, obtained = gain.M2["L-N"] - gain.M1["L-N"],
    seeds = #lab.seeds, at_least = 0,
  }
  lab.row {
    quantity = "L-N.response.M3-minus-M1", unit = "points", obtained = gain.M3["L-N"] - gain.M1["L-N"],
    seeds = #lab.seeds, at_most = 0,
  }
  for _, name in ipairs(best) do
    for _, mix in ipairs { "M2", "M3" } do
      lab.row {
        quantity = ("%s.response.%s-minus-M1"):format(name, mix), unit = "points",
        obtained = gain[mix][name] - gain.M1[name], seeds = #lab.seeds, band = { -10, 10 },
      }
    end
  end
end

-- Other readings, beside those that are the default.

local function complete_overlap(lab)
  local by = by_workload(lab, lomarc, "M1", { overlap = "complete" })
  for _, w in ipairs(workloads) do
    local found = by[w]
    for _, name in ipairs(lomarc) do
      lab.row {
        quantity = ("complete.%s-vs-PSS.response.%s"):format(name, w), unit = "%",
        published = at(published.response, name, w), values = reduction(lab, found[name], found.PSS, response),
        chart = { title = "Shorter response times, complete form", axis = "workload" }, at = w, series = name,
      }
    end
  end
end

local function other_arrivals(lab)
  local by = {}
  for _, w in ipairs(workloads) do
    by[w] = { PSS = runs(lab, "PSS", w) }
    for _, future in ipairs { "none", "queued" } do by[w][future] = runs(lab, "L-R", w, "M1", nil, { future = future }) end
  end
  for _, w in ipairs(workloads) do
    local pss = by[w].PSS
    for _, future in ipairs { "none", "queued" } do
      local list = by[w][future]
      lab.row {
        quantity = ("%s.L-R-vs-PSS.response.%s"):format(future, w), unit = "%", published = published.response["L-R"][w],
        values = reduction(lab, list, pss, response),
        chart = { title = "Shorter response times with L-R", axis = "workload" }, at = w, series = future,
      }
      lab.row {
        quantity = ("%s.L-R.chosen.%s"):format(future, w), values = lab.each(list, note("chosen")),
        published = published.counts["L-R"][w][7],
        chart = { title = "Which candidate L-R chose", axis = "workload" }, at = w, series = future,
      }
    end
  end
end

--- T_age fixed at the mean wait without sharing, instead of the mean of the run so far.
local function fixed_ageing(lab)
  local chart = { title = "L-U1 with a fixed T_age, better than PSS", axis = "workload" }
  for _, w in ipairs(workloads) do
    local age = mean_of(lab, runs(lab, "PSS", w), function(s) return s.all.wait.mean end)
    local params = { age = math.floor(age) }
    local pss = runs(lab, "PSS", w, "M1", nil, params)
    local list = runs(lab, "L-U1", w, "M1", nil, params)
    lab.row {
      quantity = "fixed-age.L-U1-vs-PSS.response." .. w, unit = "%", published = at(published.response, "L-U1", w),
      values = reduction(lab, list, pss, response), chart = chart, at = w, series = "response time",
    }
    lab.row {
      quantity = "fixed-age.L-U1-vs-PSS.relative_response." .. w, unit = "%",
      values = reduction(lab, list, pss, relative_response), chart = chart, at = w, series = "relative response time",
    }
    lab.row {
      quantity = "fixed-age.L-U1-vs-PSS.efficiency." .. w, unit = "%", published = at(published.efficiency, "L-U1", w),
      values = efficiency_gain(lab, list, pss), chart = chart, at = w, series = "efficiency",
    }
    lab.row {
      quantity = "fixed-age.L-U1.chosen." .. w, published = published.counts["L-U1"][w][7],
      values = lab.each(list, note("chosen")),
    }
  end
end

-- Tables 1 to 3: slowdowns that were measured, beside the estimate, which claims to be an upper bound.

--- The slowdown of two applications by a run of both on the same nodes.
local function estimated(lab, a, b, cpu)
  local function job(f) return { nodes = 4, runtime = 60, cpu = f[1], network = f[2], disk = f[3] } end
  return lab.run("two.toml", {
    workload = { jobs = { job(a), job(b) } }, slowdown = { compatible = cpu, compatible_share = cpu < 2 and 1 or 0 },
  })
end

local function slowdown(run) return run.summary.makespan / 60 end

local function measured_cpu(lab)
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

local function communication(lab)
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
        band = { value - 0.005, value + 0.005 },
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

local function one_thing(lab)
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

return {
  api = 1,
  title = "Sodan & Lan 2005: lookahead matching of jobs on hyperthreaded nodes (LOMARC)",
  seeds = 10,
  quick_seeds = 2,
  experiments = {
    { label = "T1", title = "slowdowns measured on a hyperthreaded CPU", seeds = 1, full_seeds = 1, run = measured_cpu },
    { label = "T2", title = "two applications that compute and communicate", seeds = 1, full_seeds = 1, run = communication },
    { label = "T3", title = "applications that do one thing only", seeds = 1, full_seeds = 1, run = one_thing },
    { label = "Fig6", title = "response times", run = function(lab)
      against_pss(lab, "response", response, published.response, bands.response,
        "Shorter response times than without sharing")
      orders(lab)
    end },
    { label = "Fig7", title = "relative response times, bounded at 60 s", run = function(lab)
      against_pss(lab, "relative_response", relative_response, published.relative_response, bands.relative_response,
        "Shorter relative response times than without sharing")
    end },
    { label = "Fig8", title = "efficiency and makespan", run = efficiency },
    { label = "T5", title = "the search for partners", run = table5 },
    { label = "Fig9", title = "other mixes", run = other_mixes },
    { label = "overlap", title = "the complete form of the slowdown", run = complete_overlap },
    { label = "ageing", title = "a fixed T_age", run = fixed_ageing },
    { label = "arrivals", title = "jobs still to come in the response-time impact", run = other_arrivals },
  },
}
