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

---A case that is still to be written: it is reported as pending.
---@param name string
---@param reason? string
function pending(name, reason) end

---Runs before each case of the block and of the blocks in it; hooks of outer blocks come first.
---@param hook fun()
function before_each(hook) end

---Runs after each case of the block and of the blocks in it, even if the case failed; hooks of outer blocks come last.
---@param hook fun()
function after_each(hook) end

---Ends the running case as skipped, e.g. because a trace is not there.
---@param reason? string
function skip(reason) end

---A job written down, for `jobs` of `simulate`. Complaints about it name its line.
---@param job coslice.ScenarioJob
---@return coslice.ScenarioJob
function job(job) end

---A job as it stands in a scenario.
---@class coslice.ScenarioJob
---@field submit? number Arrival, s (default 0).
---@field nodes? integer Nodes that it needs; a job has either `nodes` or `size`.
---@field size? integer Processes, as in a trace.
---@field runtime number How long it runs alone, s.
---@field limit? number What its user asks for, s (default: the run time).
---@field id? integer Its number (default: its place in the list, from 1).
---@field user? integer
---@field group? integer
---@field executable? integer
---@field queue? integer
---@field partition? integer
---@field memory? integer|string Per process: KB, or a text as "4 GB".
---@field after? integer The job with this id must end first; honoured with `engine = { dependencies = true }`.
---@field think_time? number Time between that end and this submission, s.

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

---Simulates a scenario: the path of a file, seen from the suite's folder, or a table. The overrides lie over it key by
---key. Gives a run for each policy. Mistakes in the scenario are errors with the suite's line.
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
---@class coslice.RunJob
---@field id integer
---@field submit number s
---@field entered? number When it entered the queue, s: later than `submit` if it depended on another job.
---@field nodes integer
---@field size integer Processes.
---@field runtime number s
---@field limit number s
---@field user integer -1 if unknown.
---@field group integer -1 if unknown.
---@field queue integer -1 if unknown.
---@field start? number s; nil if it never started.
---@field finish? number s; nil if it never ended.
---@field wait? number start - entered, s.
---@field response? number finish - entered, s.
---@field bounded_slowdown? number
---@field preemptions integer How often time slices stopped it.
---@field overhead number What time slices cost it: loading, swapping, and the time lost at slices' ends that interrupted it, s.
---@field allocated string Its nodes, as "0-3 7"; "" if it did not run.
---@field state string "completed", "killed" (at its limit), "rejected" (larger than the machine) or "not run".

---Figures of a set of jobs that ran to an end.
---@class coslice.RunGroup
---@field jobs integer
---@field mean_wait number s
---@field median_wait number s
---@field p95_wait number s
---@field max_wait number s
---@field mean_response number s
---@field median_response number s
---@field p95_response number s
---@field max_response number s
---@field mean_bounded_slowdown number
---@field median_bounded_slowdown number
---@field p95_bounded_slowdown number
---@field max_bounded_slowdown number
---@field mean_relative_response number response / max(runtime, `metrics.relative_response_bound`)

---The figures of a run: those of a group for all its jobs, and these.
---@class coslice.RunSummary: coslice.RunGroup
---@field jobs integer In the workload.
---@field finished integer Ran to an end, killed ones included.
---@field killed integer At their limits.
---@field rejected integer Larger than the machine.
---@field efficiency number Utilization efficiency: nodes x run times with one process on each node / (makespan x nodes); `utilization` where nodes are not shared.
---@field makespan number Last end - first submission, s.
---@field utilization number Node-seconds used / (makespan x nodes).
---@field core_utilization number Core-seconds used / (makespan x cores).
---@field mean_queue number Waiting jobs, mean over the makespan.
---@field max_queue integer
---@field mean_slowdown number response / (finish - start), unbounded.
---@field max_slowdown number
---@field by_class table<string, coslice.RunGroup> By the classes of the scenario's metrics: "short", "medium", "long".
---@field by_user table<integer, coslice.RunGroup>
---@field by_queue table<integer, coslice.RunGroup>
---@field trimmed coslice.RunGroup Without the first and last jobs (`metrics.trim`).
---@field trimmed_by_class table<string, coslice.RunGroup>
---@field slices integer These and the following are 0 without time slices.
---@field preemptions integer
---@field evictions integer Preemptions within a slice, for a job of its class.
---@field loads integer Loads of a job's memory that took time.
---@field swaps integer Displacements from memory that were charged to a job.
---@field foreign_resumed integer Preempted jobs that ran on in a slice of another class.
---@field foreign_finishing integer Waiting jobs that started in a slice of another class, to finish in it.
---@field foreign_pinned integer Waiting jobs that started there and did not.
---@field overhead number `overhead` of all jobs, s.
---@field overhead_without_first_loads number s
---@field overhead_share number overhead / sum of run times
---@field overhead_share_by_nodes number Both weighted by the nodes of each job.
---@field overhead_share_without_first_loads number
---@field utilization_without_loading number `utilization`, if nodes that load a job's memory count as unused.
---@field sharing { groups: integer, jobs_per_group: number, gain_promised: number, gain_had: number, grouped_share: number, bounded: integer, late: integer, late_grouped: integer, attempts: integer, few_candidates_share: number, no_candidates_share: number } As in `summary.json`; 0 where no job may share its nodes.

---How much better a run is than a reference with the same jobs, under time slices as the papers on them measure it.
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

---A case that must hold for random workloads. The first workload for which it does not is shrunk to a small one that
---still breaks it, and printed ready to be pasted into a case.
---@param name string
---@param options coslice.PropertyOptions May be left out.
---@param body fun(workload: coslice.PropertyWorkload)
function property(name, options, body) end
