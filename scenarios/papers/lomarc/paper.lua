-- Sodan & Lan 2005, Section 6.2: LOMARC beside space sharing (PSS), coscheduling whatever comes (AC) and matching of
-- neighbours in the queue only (AM).
--
-- Two choices were made by these very results, the rest held fixed: the printed form of the slowdown (its `complete`
-- form stands beside it in the experiment "overlap"), and that jobs still to come count in the response-time impact as
-- they are printed (`future`; experiment "arrivals"). A good fit of what they were chosen by proves nothing.

local published = require("published")
local slowdowns = require("slowdowns")

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
local another_reading = "another reading of the paper"

--- One approach under a workload and a mix, a run per seed. On a standard CPU no two jobs go well together.
--- `script`: another policy instead.
local function runs(lab, name, workload, mix, slowdown, params, script)
  local s = table.copy(slowdown or {})
  s.mix = mixes[mix or "M1"]
  if name == "L-N" then s.compatible_share = 0 end
  return lab.runs("pairs.toml", {
    workload = { lublin = { alpha = alpha[workload] } },
    policy = { name = script or policy[name], params = params or {} }, slowdown = s,
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

--- Percent by which the mean over the seeds is lower than another one.
local function reduction(lab, new, old, figure)
  return lab.estimate(function(a, b) return 100 * (1 - a / b) end, lab.each(new, figure), lab.each(old, figure))
end

--- Percent by which it is higher.
local function growth(lab, new, old, figure)
  return lab.estimate(function(a, b) return 100 * (a / b - 1) end, lab.each(new, figure), lab.each(old, figure))
end

--- Percent by which the efficiency is higher: the jobs' work is the same, so that only the makespan differs.
local function efficiency_gain(lab, new, old) return growth(lab, old, new, makespan) end

local function at(t, name, workload) return t[name] and t[name][workload] end

-- Chosen by the response times under W1 (experiment "overlap").
local by_the_form = "the printed form of the slowdown"

--- Rows of every approach against PSS under every workload.
local function against_pss(lab, what, figure, of_paper, title)
  local by = by_workload(lab, compared)
  for _, w in ipairs(workloads) do
    local found = by[w]
    for _, name in ipairs(compared) do
      local number = at(of_paper, name, w)
      lab.row {
        quantity = ("%s-vs-PSS.%s.%s"):format(name, what, w), unit = "%", published = number,
        estimate = reduction(lab, found[name], found.PSS, figure),
        at_least = not number and name ~= "AC" and 0 or nil, at_most = name == "AC" and 0 or nil,
        finding = not number and (name == "AC" and "pairing whatever comes is worse than no sharing"
          or name .. " is better than no sharing") or nil,
        fitted = number and what == "response" and w == "W1" and by_the_form or nil,
        chart = { title = title, axis = "workload" }, at = w, series = name,
      }
    end
  end
  return by
end

--- "All LOMARC variants perform clearly better than all other approaches": beside AM, the best of the others.
local function against_am(lab, by, what, figure)
  for _, w in ipairs(workloads) do
    for _, name in ipairs(lomarc) do
      lab.row {
        quantity = ("%s-vs-AM.%s.%s"):format(name, what, w), unit = "%", at_least = 0,
        estimate = reduction(lab, by[w][name], by[w].AM, figure),
        finding = "all LOMARC variants are clearly better than AM",
        chart = { title = ("Better than AM: %s"):format(what:gsub("_", " ")), axis = "workload" }, at = w,
        series = name,
      }
    end
  end
end

--- What the text says of L-R beside L-U1 and L-FM.
local function best_in_relative_response(lab, by)
  for _, w in ipairs(workloads) do
    local number = published.better_than_u1[w]
    lab.row {
      quantity = "L-R-vs-L-U1.relative_response." .. w, unit = "%", published = number,
      estimate = reduction(lab, by[w]["L-R"], by[w]["L-U1"], relative_response),
    }
  end
  for _, of in ipairs { { "response", response, 17 }, { "relative_response", relative_response, 24 } } do
    lab.row {
      quantity = "L-FM-over-L-R." .. of[1] .. ".W3", unit = "%", published = of[3],
      estimate = growth(lab, by.W3["L-FM"], by.W3["L-R"], of[2]),
    }
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
    estimate = growth(lab, found["L-U1"], found["L-U2"], response),
    finding = "L-U1 is at least as good as L-U2",
  }
  lab.row {
    quantity = "L-R-over-L-U1.response.W1", unit = "%", band = { -8, 8 },
    estimate = growth(lab, found["L-R"], found["L-U1"], response),
    finding = "L-U1 gives almost the same results as L-R", fitted = "that jobs still to come count as printed",
  }
  for _, w in ipairs { "W2", "W3" } do
    local heavier = all(lab, compared, w)
    local met = 0
    for _, name in ipairs(lomarc) do
      if in_order(lab, heavier, response, { { name }, { "AM" }, { "PSS" }, { "AC" } }) == 1 then met = met + 1 end
    end
    lab.row {
      quantity = "better-than-AM,PSS,AC.response." .. w, unit = "of 5", published = 5, obtained = met,
      seeds = #lab.seeds,
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
      local number = at(published.efficiency, name, w)
      lab.row {
        quantity = ("%s-vs-PSS.efficiency.%s"):format(name, w), unit = "%", published = number,
        estimate = efficiency_gain(lab, found[name], found.PSS),
        chart = { title = "Higher efficiency than without sharing", axis = "workload" }, at = w, series = name,
      }
    end
    lab.row {
      quantity = "L-R-vs-PSS.makespan." .. w, unit = "%", published = published.makespan[w],
      estimate = reduction(lab, found["L-R"], found.PSS, makespan),
      note = "by definition E grows by 1 / (1 - this) - 1: the paper's pairs of makespan and E do not",
      chart = { title = "Shorter makespan of L-R", axis = "workload" }, at = w,
    }
    lab.row { quantity = "PSS.utilization." .. w, values = lab.each(found.PSS, function(s) return s.utilization end) }
  end
  lab.row {
    quantity = "PSS.makespan.W1", unit = "weeks", published = 10,
    values = lab.each(runs(lab, "PSS", "W1"), function(s) return s.makespan / 604800 end),
  }
end

-- Table 5: means over the searches that formed a pair. Over all searches, most of which leave nobody in the end, the
-- columns come out at half of what is published, while which one was chosen is what it is.

local by_searches = "which searches count"
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
    chart = { title = "Mean queue", axis = "workload" }, at = w, series = name,
  }
  lab.row {
    quantity = ("%s.queue-at-searches.%s"):format(name, w), published = cells[1],
    values = lab.each(list, note("queue")),
    fitted = by_searches,
    chart = { title = "Queue at the searches that found a partner", axis = "workload" }, at = w, series = name,
  }
  lab.row {
    quantity = ("%s.medium_or_long.%s"):format(name, w), published = cells[2],
    values = lab.each(list, note(columns[2])), fitted = by_searches,
    chart = { title = "Medium and long jobs in that queue", axis = "workload" }, at = w, series = name,
  }
  for i = 3, 6 do
    local share = cells[i] / cells[i - 1]
    lab.row {
      quantity = ("%s.%s.%s"):format(name, columns[i], w), unit = "of those before", published = share,
      estimate = lab.estimate(function(now, before) return now / before end, lab.each(list, note(columns[i])),
        lab.each(list, note(columns[i - 1]))),
      fitted = columns[i] == "slowdown" and by_the_form or nil,
      chart = { title = "What each rule leaves, " .. name, axis = "rule" }, at = rules[columns[i]], series = w,
    }
  end
  local chosen = lab.each(list, note("chosen"))
  lab.row {
    quantity = ("%s.chosen.%s"):format(name, w), published = cells[7], values = chosen,
    note = "which of the candidates, in the mean; published without decimals",
    chart = { title = "Which candidate was chosen", axis = "workload" }, at = w, series = name,
  }
  return chosen
end

local function table5(lab)
  local chosen = {}
  for _, name in ipairs { "L-U1", "L-U2", "L-R" } do
    chosen[name] = {}
    for _, w in ipairs(workloads) do chosen[name][w] = counts(lab, name, w) end
  end
  lab.row {
    quantity = "L-R-over-L-U1.chosen.W3", published = 4 / 6, at_most = 1,
    estimate = lab.estimate(function(a, b) return a / b end, chosen["L-R"].W3, chosen["L-U1"].W3),
    finding = "the response-time impact picks earlier candidates",
  }
  local u1 = {}
  for w, list in pairs(chosen["L-U1"]) do u1[w] = lab.mean(list) end
  lab.row {
    quantity = "L-U1.chosen-grows-with-load", unit = "yes", published = 1, band = { 1, 1 }, seeds = #lab.seeds,
    obtained = u1.W1 < u1.W2 and u1.W2 < u1.W3 and 1 or 0,
  }
end

-- Figure 9: other mixes.

--- Points by which the gain over no sharing is larger under a mix than under M1.
local function more_than_under_M1(lab, by, name, mix)
  local function gain(a, b) return 100 * (1 - a / b) end
  local function times(m, of) return lab.each(by[m][of], response) end
  return lab.estimate(function(new, old, new1, old1) return gain(new, old) - gain(new1, old1) end,
    times(mix, name), times(mix, "PSS"), times("M1", name), times("M1", "PSS"))
end

local function other_mixes(lab)
  local by = {}
  for mix in pairs(mixes) do by[mix] = all(lab, lomarc, "W1", mix) end
  for _, mix in ipairs { "M2", "M3" } do
    for _, name in ipairs(lomarc) do
      local number = mix == "M2" and published.response_M2[name] or nil
      lab.row {
        quantity = ("%s-vs-PSS.response.%s"):format(name, mix), unit = "%", published = number,
        estimate = reduction(lab, by[mix][name], by[mix].PSS, response),
        chart = { title = "Shorter response times than without sharing, W1", axis = "mix" }, at = mix, series = name,
      }
    end
  end
  local number = published.relative_response_M2["L-N"]
  lab.row {
    quantity = "L-N-vs-PSS.relative_response.M2", unit = "%", published = number,
    estimate = reduction(lab, by.M2["L-N"], by.M2.PSS, relative_response),
  }
  lab.row {
    quantity = "L-N.response.M2-minus-M1", unit = "points", published = 11,
    estimate = more_than_under_M1(lab, by, "L-N", "M2"),
  }
  lab.row {
    quantity = "L-N.response.M3-minus-M1", unit = "points", at_most = 0,
    estimate = more_than_under_M1(lab, by, "L-N", "M3"), finding = "under M3 L-N is closer to PSS",
  }
  for _, name in ipairs(best) do
    for _, mix in ipairs { "M2", "M3" } do
      lab.row {
        quantity = ("%s.response.%s-minus-M1"):format(name, mix), unit = "points", published = 0, band = { -10, 10 },
        estimate = more_than_under_M1(lab, by, name, mix), note = "published as similar",
      }
    end
  end
end

local tools = {
  workloads = workloads, lomarc = lomarc, runs = runs, all = all, by_workload = by_workload, at = at, note = note,
  mean_of = mean_of, reduction = reduction, efficiency_gain = efficiency_gain, response = response,
  relative_response = relative_response,
}
local readings, moves = require("readings")(tools), require("moves")(tools)

return {
  api = 1,
  title = "Sodan & Lan 2005: lookahead matching of jobs on hyperthreaded nodes (LOMARC)",
  seeds = 20,
  quick_seeds = 2,
  experiments = {
    { label = "T1", title = "slowdowns measured on a hyperthreaded CPU", seeds = 1, full_seeds = 1,
      run = slowdowns.measured_cpu },
    { label = "T2", title = "two applications that compute and communicate", seeds = 1, full_seeds = 1,
      run = slowdowns.communication },
    { label = "T3", title = "applications that do one thing only", seeds = 1, full_seeds = 1,
      run = slowdowns.one_thing },
    { label = "Fig6", title = "response times", run = function(lab)
      local by = against_pss(lab, "response", response, published.response,
        "Shorter response times than without sharing")
      against_am(lab, by, "response", response)
      orders(lab)
    end },
    { label = "Fig7", title = "relative response times, bounded at 60 s", run = function(lab)
      local by = against_pss(lab, "relative_response", relative_response, published.relative_response,
        "Shorter relative response times than without sharing")
      against_am(lab, by, "relative_response", relative_response)
      best_in_relative_response(lab, by)
    end },
    { label = "Fig8", title = "efficiency and makespan", run = efficiency },
    { label = "T5", title = "the search for partners", run = table5 },
    { label = "Fig9", title = "other mixes", run = other_mixes },
    { label = "overlap", indicative = another_reading,
      title = "the complete form of the slowdown", run = readings.complete_overlap },
    { label = "ageing", indicative = another_reading,
      title = "a fixed T_age, and priorities that grow on", run = readings.ageing },
    { label = "lifted", indicative = another_reading,
      seeds = 5, title = "whether jobs that ageing has lifted count as short ones",
      run = readings.lifted },
    { label = "arrivals", indicative = another_reading,
      title = "jobs still to come in the response-time impact", run = readings.arrivals },
    { label = "partners", indicative = another_reading,
      title = "other partners", run = readings.partners },
    { label = "moves", indicative = another_reading,
      seeds = 5, full_seeds = 20, title = "what each reading moves", run = moves },
  },
}
