---@meta
-- Papers: folders with a file paper.lua, whose experiments `coslice reproduce` repeats. The script returns a table; it
-- sees the same libraries as a policy, `require` finds modules beside it, and no files are in reach. An experiment asks
-- for runs, looks at their results and states rows. Asking costs nothing: the first look at a result waits for all runs
-- that were asked for, and these are simulated on all processors, equal ones once. So ask first, and look then.

---What paper.lua returns.
---@class coslice.Paper
---@field api integer Version of this interface: 1.
---@field title string
---@field seeds integer Seeds of an experiment; `--seeds` overrides it.
---@field quick_seeds integer The same under `--quick`.
---@field full_seeds? integer The same under `--full` (default: `seeds`).
---@field experiments coslice.Experiment[]

---@class coslice.Experiment
---@field label string The paper's own: "T4", "Fig13".
---@field title? string
---@field seeds? integer Other than the paper's; `quick_seeds` and `full_seeds` as well.
---@field quick_seeds? integer
---@field full_seeds? integer
---@field reduced? string What is left out unless `lab.full`, besides seeds, for the reader of a page: "loads above 0.8".
---@field run fun(lab: coslice.Lab)

---What an experiment works with.
---@class coslice.Lab
---@field quick boolean Whether few and small runs are wanted.
---@field full boolean Whether everything is wanted, however long it takes.
---@field seeds integer[] 1, 2, ...
---@field run fun(scenario: string, overrides?: coslice.ScenarioTable, details?: coslice.LabDetails): coslice.LabRun Asks for a run: a scenario file of the paper's folder, and keys that override its own as in a scenario: `{ policy = { params = { ... } } }`. The scenario has one policy.
---@field runs fun(scenario: string, overrides?: coslice.ScenarioTable, details?: coslice.LabDetails): coslice.LabRun[] The same for each seed. The jobs depend on the seed alone, so that two lists of runs can be compared one by one.
---@field each fun(runs: coslice.LabRun[], value: fun(summary: table): number): number[] A figure of each run.
---@field compare fun(runs: coslice.LabRun[], others: coslice.LabRun[], value: fun(summary: table, other: table): number): number[] A figure of each pair: the first of both lists, the second of both ...
---@field mean fun(values: number[]): number
---@field interval fun(values: number[]): number?, number? Ends of the 95 % interval of the mean, by Student's t; nothing for fewer than two values.
---@field trace fun(names: string[]): string? Path of the first of these logs that is there (`--traces`).
---@field row fun(row: coslice.Row) States a row of the experiment.

---@class coslice.LabRun
---@field summary table What summary.json says of the run (docs/formats.md), without its environment.
---@field jobs table<string, table> The columns of jobs.csv, by name, in its order: `run.jobs.finish_time[1]`. Numbers are numbers, empty fields are false. Only of a run that was asked for with `{ jobs = true }`.

---What is wanted of a run besides its summary.
---@class coslice.LabDetails
---@field jobs? boolean

---One quantity, as published and as obtained. It has `values`, `obtained` or `skipped`.
---@class coslice.Row
---@field quantity string With dots: "TS-vs-FF.overhead.MM1".
---@field unit? string
---@field published? number
---@field values? number[] One for each seed: their mean is what was obtained, and they give the interval.
---@field obtained? number A single figure made of all seeds.
---@field seeds? integer For `obtained`: how many those were.
---@field band? number[] `{ low, high }`: a mean inside counts as reproduced. Without a band nothing is judged.
---@field at_least? number A band with one end.
---@field at_most? number A band with one end.
---@field finding? string What the paper claims: it is refuted if the whole interval lies outside of the band.
---@field note? string
---@field indicative? string Why the row cannot be judged.
---@field skipped? string Which input is absent, and where to get it.
---@field chart? string|coslice.PaperChart Of a page: rows of an experiment with the same title make a chart and a table. They have the same unit.
---@field at? string|number The group of bars; lines are drawn over numbers.
---@field series? string The bar of the group, or the line.

---@class coslice.PaperChart
---@field title string
---@field axis? string What `at` is: "workload".
