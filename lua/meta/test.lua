---@meta
-- Regression suites: files whose names end in _test.lua, run by `coslice test`. Times are seconds. A suite sees the same
-- libraries as a policy, and no files. Each file has a Lua state of its own; each case has its own budget of instructions.

---A block of cases. Blocks nest; the names of a case and of its blocks make one sentence, its full name.
---@class coslice.describe
---@field only fun(name: string, body: fun()) Runs the cases of this block alone, for the time being.
---@field skip fun(name: string, reason: string, body: fun()) Reports the cases of this block as skipped. The reason may be left out.
---@overload fun(name: string, body: fun())
describe = {}

---A case: a name that says what holds, and a function that shows it.
---@class coslice.it
---@field only fun(name: string, body: fun()) Runs this case alone, for the time being.
---@field skip fun(name: string, reason: string, body: fun()) Reports the case as skipped. The reason may be left out.
---@overload fun(name: string, body: fun())
it = {}

---Reports a case that is still to be written as pending.
---@param name string
---@param reason? string
function pending(name, reason) end

---Runs a hook before each case of the block and of the blocks in it; hooks of outer blocks come first.
---@param hook fun()
function before_each(hook) end

---Runs a hook after each case of the block and of the blocks in it, even if the case failed; hooks of outer blocks come last.
---@param hook fun()
function after_each(hook) end

---Ends the running case as skipped, e.g. because a trace is missing.
---@param reason? string
function skip(reason) end

---Makes a job for `jobs` of `simulate`. Errors about it name its line.
---@param job coslice.ScenarioJob
---@return coslice.ScenarioJob
function job(job) end

---A job as it stands in a scenario.
---@class coslice.ScenarioJob: coslice.JobSpec
---@field program? string What its processes do: a name in `processes.programs`.

---A scenario as a table: every key of a scenario file (docs/scenarios.md) may stand in it. Relative paths start in the
---suite's folder. `nodes`, `jobs` and `params` are short for `machine.nodes`, `workload.jobs` and `policy.params`.
---@class coslice.ScenarioTable
---@field policy? string|coslice.Policy|(string|coslice.Policy)[]|table A name, a path, a policy written in place (its functions may use the suite's variables) or its text, several of these, or a scenario's own table `{ name = ..., params = ... }`.
---@field params? coslice.Params Parameters of the policy.
---@field nodes? integer Nodes of the machine.
---@field jobs? coslice.ScenarioJob[] The workload.
---@field seed? integer
---@field machine? table
---@field workload? table
---@field engine? table
---@field metrics? table

---Simulates a scenario: the path of a file, seen from the suite's folder, or a table. The overrides apply to it key by
---key. Returns a run for each policy. Mistakes in the scenario are errors with the suite's line.
---@param scenario string|coslice.ScenarioTable
---@param overrides? coslice.ScenarioTable
---@return coslice.Run ...
function simulate(scenario, overrides) end

---What came of a simulation. Reading a field that is not there is an error.
---@class coslice.Run
---@field policy string The policy's name.
---@field nodes integer Of the machine.
---@field jobs coslice.RunJob[] In the order in which they are written down; jobs of a trace in order of submission.
---@field summary coslice.RunSummary
---@field fingerprint string Hash over all events, 16 hexadecimal digits: the same run has the same.
---@field violations string[] What went wrong that must never happen: a node held twice, a job started early, lost or cut short.
---@field broken_promises string[] Reservations that moved later or were not kept.
---@field broken_claims string[] What the policy says in its field `claims` and did not hold: "in-order: at 5 s, job 2: ...".
---@field warnings string[] What `coslice run` would warn of.

---What became of a job.
---@class coslice.RunJob: coslice.WholeJob
---@field entered? number When it entered the queue, s: later than `submit` if it depended on another job.
---@field nodes integer How many nodes it had; if it never ran, how many its processes take, as full as a node may be.
---@field start? number s; nil if it never started.
---@field finish? number s; nil if it never ended.
---@field wait? number start - entered, s.
---@field response? number finish - entered, s.
---@field bounded_slowdown? number
---@field preemptions integer How often time slices stopped it.
---@field overhead number What time slices cost it: loading, swapping, and the time lost at slices' ends that interrupted it, s.
---@field allocated string Its nodes, as "0-3 7"; "" if it did not run.
---@field state string "completed", "killed" (at its limit), "rejected" (larger than the machine), "lost" (a node of it failed), "unfulfilled" (what it depends on can no longer happen), "withdrawn" (its user cancelled it before it had started, here or in its record) or "not run".

---Returns how much better a run is than a reference with the same jobs, under time slices as the papers on them measure it.
---@param reference coslice.Run
---@param run coslice.Run
---@return coslice.RunComparison
function compare(reference, run) end

---Shares of the reference: 0.05 is 5 % better, negative is worse; nil where the reference has nothing to compare with.
---@class coslice.RunComparison
---@field overhead_reduction? number 1 - overhead / the reference's
---@field response_improvement table<string, number> 1 - mean relative response time / the reference's, by class and of "all".

---Begins a claim: `expect(x).equals(y)`. An expect without a claim fails its case.
---@param value any
---@return coslice.Expectation
function expect(value) end

---What may be claimed. `never` turns the claim that follows round: `expect(x).never.equals(y)`.
---@class coslice.Expectation
---@field never coslice.Expectation
---@field equals fun(wanted: any) Exactly equal; tables are compared by what is in them.
---@field near fun(wanted: number, tolerance: number|string) At most the tolerance away: an amount, or a share of `wanted` as "2%".
---@field less_than fun(limit: number)
---@field at_most fun(limit: number)
---@field greater_than fun(limit: number)
---@field at_least fun(limit: number)
---@field is_true fun()
---@field is_false fun()
---@field is_nil fun()
---@field contains fun(part: any) A text holds this text; a list has an equal item.
---@field matches fun(pattern: string) A text matches a Lua pattern.
---@field raises fun(text?: string) The function raises an error, with this text in its message.
---@field starts fun(times: (number|false)[]) The run's jobs start at these times, in the order of `run.jobs`; false: never.
---@field finishes fun(times: (number|false)[]) The run's jobs end at these times; false: never.
---@field starts_like fun(other: coslice.Run) The jobs of both runs start at the same times, to the nanosecond.
---@field violates_nothing fun() Nothing happened in the run that must never happen (`run.violations`).
---@field keeps_promises fun() No reservation moved later, and all were kept (`run.broken_promises`).
---@field keeps_claims fun() What the policy claims of itself held (`run.broken_claims`).
---@field matches_golden fun(name: string) The run, or the text, is what golden/SUITE.NAME.txt beside the suite says. `coslice test --update` writes that file.

---A random workload of a property: a scenario without a policy, for `simulate(workload, { policy = "easy" })`.
---@class coslice.PropertyWorkload
---@field machine table
---@field jobs coslice.ScenarioJob[]

---@class coslice.PropertyOptions
---@field runs? integer Workloads tried (default 100).
---@field seed? integer Of the random numbers (default 1); `coslice test --seed N` overrides it.
---@field jobs? integer Jobs in each workload (default 20).
---@field nodes? integer Of the machine (default 8).
---@field longest? integer Longest run time, s (default 12).
---@field gap? integer Longest time between arrivals, s (default 8); many jobs arrive together.
---@field estimates? "any"|"loose"|"exact" Limits of any size (jobs may be killed), of at least the run time, or equal to it (default "any").
---@field users? integer Users that the jobs belong to (default 0: none).
---@field workload? fun(): coslice.PropertyWorkload Makes the workload instead, from `random` and `math.random`.

---Adds a case that must hold for random workloads. The first workload for which it does not is shrunk to a small one that
---still breaks it, and printed ready to be pasted into a case.
---@param name string
---@param options coslice.PropertyOptions May be left out.
---@param body fun(workload: coslice.PropertyWorkload)
function property(name, options, body) end
