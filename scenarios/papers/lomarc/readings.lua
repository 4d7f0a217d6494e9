-- Readings of Sodan & Lan 2005 beside those that are the default. Nothing is judged here.

--- `tools`: what paper.lua makes its rows with.
return function(tools)
  local workloads, lomarc, runs, at, note = tools.workloads, tools.lomarc, tools.runs, tools.at, tools.note
  local reduction, response, relative_response = tools.reduction, tools.response, tools.relative_response
  local published = require("published")
  local M = {}

  function M.complete_overlap(lab)
    local by = tools.by_workload(lab, lomarc, "M1", { overlap = "complete" })
    for _, w in ipairs(workloads) do
      local found = by[w]
      for _, name in ipairs(lomarc) do
        lab.row {
          quantity = ("complete.%s-vs-PSS.response.%s"):format(name, w), unit = "%",
          published = at(published.response, name, w), estimate = reduction(lab, found[name], found.PSS, response),
          chart = { title = "Shorter response times, complete form", axis = "workload" }, at = w, series = name,
        }
      end
    end
  end

  function M.arrivals(lab)
    local by = {}
    for _, w in ipairs(workloads) do
      by[w] = { PSS = runs(lab, "PSS", w) }
      for _, future in ipairs { "none", "queued" } do
        by[w][future] = runs(lab, "L-R", w, "M1", nil, { future = future })
      end
    end
    for _, w in ipairs(workloads) do
      local pss = by[w].PSS
      for _, future in ipairs { "none", "queued" } do
        local list = by[w][future]
        lab.row {
          quantity = ("%s.L-R-vs-PSS.response.%s"):format(future, w), unit = "%",
          published = at(published.response, "L-R", w),
          estimate = reduction(lab, list, pss, response),
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
  local function fixed_age(lab, w)
    local age = tools.mean_of(lab, runs(lab, "PSS", w), function(s) return s.all.wait.mean end)
    local params = { age = math.floor(age) }
    local chart = { title = "L-U1 with a fixed T_age, better than PSS", axis = "workload" }
    local pss = runs(lab, "PSS", w, "M1", nil, params)
    local list = runs(lab, "L-U1", w, "M1", nil, params)
    lab.row {
      quantity = "fixed-age.L-U1-vs-PSS.response." .. w, unit = "%", published = at(published.response, "L-U1", w),
      estimate = reduction(lab, list, pss, response), chart = chart, at = w, series = "response time",
    }
    lab.row {
      quantity = "fixed-age.L-U1-vs-PSS.relative_response." .. w, unit = "%",
      estimate = reduction(lab, list, pss, relative_response), chart = chart, at = w, series = "relative response time",
    }
    lab.row {
      quantity = "fixed-age.L-U1-vs-PSS.efficiency." .. w, unit = "%", published = at(published.efficiency, "L-U1", w),
      estimate = tools.efficiency_gain(lab, list, pss), chart = chart, at = w, series = "efficiency",
    }
    lab.row {
      quantity = "fixed-age.L-U1.chosen." .. w, published = published.counts["L-U1"][w][7],
      values = lab.each(list, note("chosen")),
    }
  end

  --- Priorities that grow without end, those of short jobs as well, which so stay ahead of long ones that came up to 2
  --- T_age before them.
  local function grows_on(lab, w)
    local params = { capped = false }
    local by = {}
    for _, name in ipairs { "PSS", "AM", "L-R", "L-U1", "L-U2", "L-FM", "L-N" } do
      by[name] = runs(lab, name, w, "M1", nil, params)
    end
    for _, name in ipairs { "L-R", "L-U1", "L-U2", "L-FM", "L-N", "AM" } do
      lab.row {
        quantity = ("uncapped.%s-vs-PSS.relative_response.%s"):format(name, w), unit = "%",
        published = at(published.relative_response, name, w),
        estimate = reduction(lab, by[name], by.PSS, relative_response),
        chart = { title = "Shorter relative response times than without sharing, uncapped", axis = "workload" }, at = w,
        series = name,
      }
    end
    for _, name in ipairs { "L-U1", "L-R" } do
      for _, column in ipairs { { "queue", 1 }, { "medium_or_long", 2 }, { "chosen", 7 } } do
        lab.row {
          quantity = ("uncapped.%s.%s.%s"):format(name, column[1], w), published = published.counts[name][w][column[2]],
          values = lab.each(by[name], note(column[1])),
        }
      end
    end
  end

  function M.ageing(lab)
    for _, w in ipairs(workloads) do fixed_age(lab, w) end
    for _, w in ipairs(workloads) do grows_on(lab, w) end
  end

  local choice = { ["L-U1"] = "weighted-gain", ["L-R"] = "response" }

  --- What Table 5 would say if it counted only who has less than a short one's priority.
  local function counted_below(lab, list, reading, w)
    local cells = published.counts["L-U1"][w]
    for _, column in ipairs { { "medium_or_long", 2 }, { "narrower", 3 } } do
      lab.row {
        quantity = ("%s.L-U1.%s.%s"):format(reading, column[1], w), published = cells[column[2]],
        values = lab.each(list, function(s) return s.notes["below." .. column[1]].mean end),
        chart = { title = ("Jobs that are not lifted: %s"):format(column[1]:gsub("_", " ")), axis = "workload" },
        at = w,
        series = reading,
      }
    end
    lab.row {
      quantity = ("%s.L-U1.chosen-lifted.%s"):format(reading, w), unit = "%",
      values = lab.each(list, function(s) return 100 * s.notes["chosen.lifted"].mean end),
      note = "of the chosen partners: those that are not among the jobs counted",
    }
  end

  --- What is left of the gains if such jobs share no nodes, or are nobody's partners.
  local function treated(lab, list, pss, how, name, w)
    lab.row {
      quantity = ("%s.%s-vs-PSS.response.%s"):format(how, name, w), unit = "%",
      published = at(published.response, name, w),
      estimate = reduction(lab, list, pss, response),
      chart = { title = "Shorter response times if lifted jobs are treated as short", axis = "workload" }, at = w,
      series = ("%s, %s"):format(name, how),
    }
    lab.row {
      quantity = ("%s.%s-vs-PSS.efficiency.%s"):format(how, name, w), unit = "%",
      published = at(published.efficiency, name, w), estimate = tools.efficiency_gain(lab, list, pss),
    }
  end

  --- Does Table 5 leave out of its medium and long jobs those that ageing has lifted to the priority of short ones?
  --- Counted directly, for three readings of T_age; and what comes of it if they are treated as short ones.
  function M.lifted(lab)
    local by = {}
    local function ask(name, w, params)
      params.choice = choice[name]
      return runs(lab, name, w, "M1", nil, params, "lifted.lua")
    end
    for _, w in ipairs(workloads) do
      by[w] = { PSS = runs(lab, "PSS", w), so_far = ask("L-U1", w, {}), hours = ask("L-U1", w, { age = 15 * 3600 }),
        no_partners = ask("L-U1", w, { lifted = "no-partners" }) }
      for _, name in ipairs { "L-U1", "L-R" } do by[w][name] = ask(name, w, { lifted = "short" }) end
    end
    for _, w in ipairs(workloads) do
      local age = math.floor(tools.mean_of(lab, by[w].PSS, function(s) return s.all.wait.mean end))
      by[w].without_sharing = ask("L-U1", w, { age = age })
    end
    for _, w in ipairs(workloads) do
      counted_below(lab, by[w].so_far, "mean-wait-so-far", w)
      counted_below(lab, by[w].without_sharing, "mean-wait-of-PSS", w)
      counted_below(lab, by[w].hours, "15-hours", w)
      for _, name in ipairs { "L-U1", "L-R" } do treated(lab, by[w][name], by[w].PSS, "as-short", name, w) end
      treated(lab, by[w].no_partners, by[w].PSS, "no-partners", "L-U1", w)
    end
  end

  --- L-FM that takes the first with a gain above 0, as the search is printed; and backfilled jobs that look for
  --- partners behind themselves only, beside the whole queue of Figure 4. That changes what is counted, not what
  --- starts: who is ahead of a backfilled job and may not start alone may not start beside it either.
  function M.partners(lab)
    local other = {
      { "gain-above-0", "L-FM", { choice = "first-gain" } },
      { "behind-only", "L-U1", { backfill_partners = "behind" } },
      { "behind-only", "L-R", { backfill_partners = "behind" } },
    }
    local by = {}
    for _, w in ipairs(workloads) do
      by[w] = { PSS = runs(lab, "PSS", w) }
      for i, o in ipairs(other) do by[w][i] = runs(lab, o[2], w, "M1", nil, o[3]) end
    end
    for _, w in ipairs(workloads) do
      for i, o in ipairs(other) do
        for _, of in ipairs { { "response", response }, { "relative_response", relative_response } } do
          lab.row {
            quantity = ("%s.%s-vs-PSS.%s.%s"):format(o[1], o[2], of[1], w), unit = "%",
            published = at(published[of[1]], o[2], w), estimate = reduction(lab, by[w][i], by[w].PSS, of[2]),
            chart = { title = "Better than without sharing, " .. of[1]:gsub("_", " "), axis = "workload" }, at = w,
            series = ("%s, %s"):format(o[2], o[1]),
          }
        end
        for _, column in ipairs { { "medium_or_long", 2 }, { "narrower", 3 }, { "chosen", 7 } } do
          if o[1] == "behind-only" then
            lab.row {
              quantity = ("%s.%s.%s.%s"):format(o[1], o[2], column[1], w),
              published = published.counts[o[2]][w][column[2]], values = lab.each(by[w][i], note(column[1])),
            }
          end
        end
      end
    end
  end

  return M
end
