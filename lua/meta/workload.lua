---@meta
-- What a workload script is. Times are seconds.

---A job to submit. What is left out is unknown, as -1 in SWF.
---@class coslice.JobSpec: coslice.SaidAttributes
---@field nodes? integer Nodes that it needs; for machines with several cores per node, `processes` says it finer. One of `nodes` and `processes` must be given.
---@field cpu? number For `slowdown.model = "resources"`: the part of its run time in which it computes,
---@field network? number communicates,
---@field disk? number reads and writes; together 1.
---@field memory_fraction? number Of a node's memory (default 0).
---@field sizes? string|coslice.Sizes Of a moldable job: the text, or a function that says how fast it is.
---@field user? integer|string User, by number or by name: all jobs of a script in the same way. Names are numbered in the order of their first jobs; results and pictures have them.
---@field group? integer|string Group or account, by number or by name.
---@field account? integer|string Another word for `group`.
---@field queue? integer|string Queue, by number or by name.
---@field executable? integer|string Application, by number or by name.

---Sizes of a job by a function, which is asked once for each number of nodes and, for speeds, for the job's own `nodes`.
---Exactly one of `speed` and `runtime`. A job script gives `runtime`: it knows processes, not nodes.
---@class coslice.Sizes
---@field from? integer The fewest nodes,
---@field to? integer the most,
---@field nodes? integer[] or those.
---@field speed? fun(nodes: integer): number How fast the job is with so many nodes; what counts is how speeds are to one another. A number above 0.
---@field runtime? fun(nodes: integer): number Run time with so many nodes (s).

---A workload script is a file that returns this table. `jobs` runs as a coroutine and yields each job:
---`coroutine.yield { submit = 10, nodes = 4, runtime = 600 }`.
---@class coslice.WorkloadScript
---@field api integer Version of this interface: 1.
---@field name string
---@field description? string
---@field params? table<string, coslice.Param> Settable in `[workload.params]`. A text may be given as `{ csv = PATH }`: `jobs` sees the rows of that file, plain or gzip, each with its cells by the names of the columns (numbers, texts, false for an empty one). As `{ json = PATH }` it sees what that file says: lists and objects are tables, null is false.
---@field jobs fun(params: coslice.Params, machine: coslice.Machine)

---@class coslice.Log
---@field name string
---@field jobs integer How many there are.
---@field processors integer Of the machine, by the log's header; 0 if it does not say it.
---@field second_of_day number Time of day at `submit = 0`, local. An error where the header does not say it.
---@field unix_time integer Seconds since 1970 at `submit = 0`. An error where the header does not say it.

---A job script is a file that returns this table: `workload.job_script` of a scenario. `job` is called with each job of
---the workload, in order. It returns the job, as it is or changed; false or nil to leave it out; or a list of jobs. Of
---these, the first keeps the number, the others get new ones unless they have an `id` of their own.
---@class coslice.JobScript
---@field api integer Version of this interface: 1.
---@field name string
---@field description? string
---@field params? table<string, coslice.Param> Settable in `[workload.job_params]`.
---@field job fun(job: coslice.LoggedJob, params: coslice.Params, log: coslice.Log): coslice.LoggedJob|coslice.LoggedJob[]|false|nil

---When jobs are submitted.
---@class coslice.Span
---@field first number The first one, s.
---@field last number The last one, s.

---Nodes that are not there for a time.
---@class coslice.Outage
---@field nodes? integer|string|(integer|string)[] Nodes by number, as jobs.csv has them, or as `[[outages.planned]]` names them (default: all).
---@field from number When it begins, s.
---@field length number For how long, s.
---@field every? number It repeats every this many seconds.
---@field kind? "failure"|"drain"|"maintenance" As in `[[outages.planned]]` (default "failure").

---A script of outages is a file that returns this table: `outages.script` of a scenario. `outages` runs as a coroutine and
---yields each one, in any order: `coroutine.yield { nodes = 3, from = 300, length = 900 }`.
---@class coslice.OutageScript
---@field api integer Version of this interface: 1.
---@field name string
---@field version? string
---@field description? string
---@field params? table<string, coslice.Param> Settable in `[outages.params]`.
---@field outages fun(params: coslice.Params, machine: coslice.Machine, span: coslice.Span)

---The machine of the scenario. `machine.cores` of a scenario is the number of cores of one processor.
---@class coslice.Machine
---@field nodes integer
---@field processors integer Of a node.
---@field cores integer Of a node, on all its processors together.
---@field memory number Of a node, KB; 0 if not modelled.

---Random numbers from the scenario's seed: the same on every machine. `math.random` draws from the same stream.
---@class coslice.random
random = {}

---Draws a uniform number from [low, high); without arguments in [0, 1).
---@param low? number
---@param high? number
---@return number
function random.uniform(low, high) end

---Draws an exponential number with this mean.
---@param mean number
---@return number
function random.exponential(mean) end

---Draws a normal number.
---@param mean number
---@param deviation number
---@return number
function random.normal(mean, deviation) end

---Draws a lognormal number: exp of a normal one with this mean and deviation (both of the logarithm).
---@param mu number
---@param sigma number
---@return number
function random.lognormal(mu, sigma) end

---Draws a gamma number with mean shape * scale.
---@param shape number
---@param scale number
---@return number
function random.gamma(shape, scale) end
