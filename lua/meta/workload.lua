---@meta
-- What a workload script is. Times are seconds.

---A job to submit. What is left out is unknown, as -1 in SWF.
---@class coslice.JobSpec
---@field submit? number Arrival, s (default 0). Must not be earlier than that of the job before.
---@field nodes? integer Nodes that it needs; for machines with several cores per node, `processes` says it finer.
---@field processes? integer Processes that it runs; one of `nodes` and `processes` must be given.
---@field runtime number How long it runs alone, s.
---@field limit? number What its user asks for, s (default: the run time).
---@field id? integer Its number (default: counted from 1).
---@field user? integer
---@field group? integer
---@field queue? integer
---@field partition? integer
---@field executable? integer
---@field memory? integer Requested per process, KB.
---@field cpu? number For `slowdown.model = "resources"`: the part of its run time in which it computes,
---@field network? number communicates,
---@field disk? number reads and writes; together 1.
---@field memory_fraction? number Of a node's memory (default 0).
---@field after? integer The job with this id must end first (`engine.dependencies`).
---@field think? number Time between that end and this submission, s.

---A workload script is a file that returns this table. `jobs` runs as a coroutine and yields each job:
---`coroutine.yield { submit = 10, nodes = 4, runtime = 600 }`.
---@class coslice.WorkloadScript
---@field api integer Version of this interface: 1.
---@field name string
---@field description? string
---@field params? table<string, coslice.Param> Settable in `[workload.params]`.
---@field jobs fun(params: coslice.Params, machine: coslice.Machine)

---@class coslice.Machine
---@field nodes integer
---@field processors integer Per node.
---@field cores integer Per processor.
---@field memory number Per node, KB; 0 if not modelled.

---Random numbers from the scenario's seed: the same on every machine. `math.random` draws from the same stream.
---@class coslice.random
random = {}

---Uniform in [low, high); without arguments in [0, 1).
---@param low? number
---@param high? number
---@return number
function random.uniform(low, high) end

---Exponential with this mean.
---@param mean number
---@return number
function random.exponential(mean) end

---Normal.
---@param mean number
---@param deviation number
---@return number
function random.normal(mean, deviation) end

---exp of a normal with this mean and deviation (both of the logarithm).
---@param mu number
---@param sigma number
---@return number
function random.lognormal(mu, sigma) end

---Gamma with mean shape * scale.
---@param shape number
---@param scale number
---@return number
function random.gamma(shape, scale) end
