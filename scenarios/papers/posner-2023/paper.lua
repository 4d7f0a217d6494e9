-- Posner, Hupfeld & Finnerty 2023: strategies for malleable jobs, by the share of these, in eight figures. Sets of
-- jobs and published tables are data that is not part of coslice (`--data`).
local figures = require "figures"
local published = require "published"

local strategies = {
  "rigid_backfill", "rigid_easy_backfill", "min_agreement", "min_steal_agreement", "min_common_pool", "pref_agreement",
  "pref_steal_agreement", "pref_common_pool", "average_agreement", "average_steal_agreement", "average_common_pool",
}

--- Shares of malleable jobs, %.
local function shares(lab)
  if lab.quick then return { 0, 50, 100 } end
  local all = {}
  for share = 0, 100, 10 do all[#all + 1] = share end
  return all
end

--- Sets of jobs that are there: { name, path }.
local function sets(lab)
  local found = {}
  for _, file in ipairs(lab.files ".") do
    local name = file:match "^jobs_(S%d+)%.csv"
    if name and #found < #lab.seeds then found[#found + 1] = { name = name, path = lab.data(file) } end
  end
  return found
end

--- The published figures of rigid strategies are those without malleable jobs, for all shares. At one instant the timer
--- comes before submissions, unless `submissions_first`.
local function ask(lab, set, share, strategy, submissions_first)
  local params = { rule = strategy, submissions_first = submissions_first }
  if strategy:match "^rigid" then share = 0
  else params.rule, params.promise = strategy:match "^(%a+)_(.*)$"
  end
  return lab.run("run.toml", {
    workload = { params = { set = { csv = set.path }, share = share } }, policy = { params = params },
  }, { jobs = true })
end

local told         -- by figure, see published.of
local made = {}    -- figures of runs
local found        -- what there is of each set, share and strategy

--- The published tables; nil, and said, where one is not there.
local function read(lab)
  if told then return told end
  local all = {}
  for _, figure in ipairs(figures.all) do
    all[figure.name] = published.of(lab, figure)
    if not all[figure.name] then
      lab.row { quantity = figure.name, skipped = ("published/%s.csv: --data DIR"):format(figure.name) }
      return nil
    end
  end
  told = all
  return told
end

--- The published figures of such a run, by name; nil if there are none.
local function told_of(set, share, strategy)
  local all = {}
  for name, of in pairs(told) do
    all[name] = ((of[set] or {})[share] or {})[strategy]
    if not all[name] then return nil end
  end
  return all
end

--- All runs of which figures are published: { set, share, strategy, run, told }; nil if something is not there.
local function all_runs(lab)
  if found then return found end
  if not read(lab) then return nil end
  local list = {}
  for _, set in ipairs(sets(lab)) do
    for _, share in ipairs(shares(lab)) do
      for _, strategy in ipairs(strategies) do
        local theirs = told_of(set.name, share, strategy)
        if theirs then
          list[#list + 1] = { set = set.name, share = share, strategy = strategy, told = theirs,
            run = ask(lab, set, share, strategy),
            again = function() return ask(lab, set, share, strategy, true) end }
        end
      end
    end
  end
  if #list == 0 then
    lab.row { quantity = "jobs", skipped = "jobs_S0.csv.gz and others: --data DIR" }
    return nil
  end
  list.at = {} -- by strategy and share
  for _, one in ipairs(list) do
    local place = ("%s.%d"):format(one.strategy, one.share)
    list.at[place] = list.at[place] or {}
    table.insert(list.at[place], one)
  end
  found = list
  return found
end

local function figures_of(run)
  if not made[run.number] then made[run.number] = figures.of(run) end
  return made[run.number]
end

--- Names of the figures that are not as printed, of a run that was made for that one.
local function unequal(one, run)
  local names, own = {}, figures_of(run)
  for _, figure in ipairs(figures.all) do
    if own[figure.name].text ~= one.told[figure.name].text then names[#names + 1] = figure.name end
  end
  return names
end

--- Asks for runs once more with the other order of timer and submissions, where the mean wait is not the published one.
--- That order was left to the noise of a clock.
local function try_other_order(runs)
  if runs.tried then return end
  for _, one in ipairs(runs) do
    local wait = figures_of(one.run).average_wait_time.value
    if math.abs(wait - one.told.average_wait_time.value) > 1e-7 * wait then one.other = one.other or one.again() end
  end
  runs.tried = true
end

--- The run with the order that gives more of the published figures.
local function nearer(one)
  if one.other and #unequal(one, one.other) < #unequal(one, one.run) then return one.other end
  return one.run
end

--- Means over the sets: of what was obtained in `run_of(one)`, and of what was published; and of how many.
local function means(runs, share, strategy, name, run_of)
  local own, theirs, of_place = 0, 0, runs.at[("%s.%d"):format(strategy, share)] or {}
  for _, one in ipairs(of_place) do
    own, theirs = own + figures_of(run_of(one))[name].value, theirs + one.told[name].value
  end
  return own / #of_place, theirs / #of_place, #of_place
end

local by_published_wait = "the order of timer and submissions, by the published wait"

-- How many runs are equal as printed, in all figures and in each, and which are not.

local function equal(lab)
  local runs = all_runs(lab)
  if not runs then return end
  try_other_order(runs)
  local differing, of_figure, either = {}, {}, 0
  for _, one in ipairs(runs) do
    local names = unequal(one, one.run)
    if #names > 0 then differing[#differing + 1] = { one = one, names = names } end
    if #unequal(one, nearer(one)) > 0 then either = either + 1 end
    for _, name in ipairs(names) do of_figure[name] = (of_figure[name] or 0) + 1 end
  end
  local function state(name, count, fitted)
    lab.row {
      quantity = name, unit = "%", published = 100, obtained = 100 * (#runs - count) / #runs, seeds = 1,
      at_least = 94, fitted = fitted, note = ("%d of %d runs in every printed digit"):format(#runs - count, #runs),
    }
  end
  state("all-figures", #differing)
  state("all-figures.either-order", either, by_published_wait)
  for _, figure in ipairs(figures.all) do state(figure.name, of_figure[figure.name] or 0) end
  for _, d in ipairs(differing) do
    local one = d.one
    lab.row {
      quantity = ("%s.%d.%s"):format(one.set, one.share, one.strategy), unit = "s",
      published = one.told.average_wait_time.value, obtained = figures_of(one.run).average_wait_time.value, seeds = 1,
      indicative = "one set of jobs", note = "mean wait; not equal: " .. table.concat(d.names, ", ")
        .. (one.other and ("; %d with submissions first"):format(#unequal(one, one.other)) or ""),
    }
  end
end

-- A figure of each share and strategy, in the mean over the sets.

local within = 0.005

local function mean_row(lab, figure, name, own, theirs, count, more)
  local row = {
    quantity = name, unit = figure.unit, published = theirs, obtained = own, seeds = count,
    band = { theirs * (1 - within), theirs * (1 + within) },
  }
  for key, value in pairs(more) do row[key] = value end
  lab.row(row)
  return own == theirs and 0 or math.abs(own - theirs) / math.max(own, theirs)
end

local function error_row(lab, name, error, fitted)
  lab.row {
    quantity = name, unit = "%", published = 0, obtained = 100 * error, seeds = 1, at_most = 100 * within,
    fitted = fitted, note = "of a mean over the sets of jobs",
  }
end

local function mean_rows(figure)
  local chart = { title = figure.title, axis = "malleable jobs, %" }
  return function(lab)
    local runs, largest, either = all_runs(lab), 0, 0
    if not runs then return end
    try_other_order(runs)
    for _, share in ipairs(shares(lab)) do
      for _, strategy in ipairs(strategies) do
        local name = ("%s.%d"):format(strategy, share)
        local own, theirs, count = means(runs, share, strategy, figure.name, function(one) return one.run end)
        if count > 0 then
          largest = math.max(largest, mean_row(lab, figure, name, own, theirs, count,
            { chart = chart, at = share, series = strategy }))
          local nearest = means(runs, share, strategy, figure.name, nearer)
          either = math.max(either, nearest == own and math.abs(own - theirs) / math.max(own, theirs, 1)
            or mean_row(lab, figure, name .. ".either-order", nearest, theirs, count, { fitted = by_published_wait }))
        end
      end
    end
    error_row(lab, "largest-error", largest)
    error_row(lab, "largest-error.either-order", either, by_published_wait)
  end
end

local experiments = { { label = "equal", title = "Runs that are equal as printed", run = equal } }
for _, figure in ipairs(figures.all) do
  experiments[#experiments + 1] = { label = figure.name, title = figure.title, run = mean_rows(figure) }
end

return {
  api = 1,
  title = "Posner, Hupfeld & Finnerty 2023: strategies for malleable jobs",
  data = "elastic",
  seeds = 10,
  quick_seeds = 1,
  experiments = experiments,
}
