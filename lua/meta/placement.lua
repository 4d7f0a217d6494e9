---@meta
-- Placement: which nodes a job gets, of those on which it fits. On a machine of equal nodes, too, where every job has its
-- nodes for itself.

---The field `placement` of a policy. A name:
---
---| name | nodes, the best first; ties by the order of nodes (`machine.order`), else by number |
---| --- | --- |
---| `first` | all are equally good |
---| `best-fit` | those with the least left: the sum of free cores, GPUs and memory, each as a part of the most that a node of the machine has |
---| `spread` | those with the most left |
---| `pack` | those where something runs, before idle ones |
---| `switch` | all are equally good; of the machine's switches (`machine.switches`) the job gets those of the one with the fewest that are enough, else as few switches as it can: first those of the switch with the most |
---
---A function, which scores a node for a job that fits there: the highest score is the best, and nil or false excludes the node (if
---too few are left, the job waits). With the score it may return the number of the GPU that the job is to get there, or
---a list of as many as it asks for; without, whole GPUs are the first idle ones, and a share is of the GPU with the least
---left that is enough.
---
---Answers are kept: a node is asked about again only when it has changed, jobs that ask alike are one question, and so are nodes
---of one kind on which the same is left. So an answer may depend on what the function reads from `node`, `job` and `view`, on
---parameters and on random numbers; reading the view or drawing makes it a new question each time. What else changes it needs
---`cached = false`.
---
---A table joins both: `{ rank = "best-fit", ties = "random" }`.
---@alias coslice.Placement "first"|"best-fit"|"pack"|"spread"|"switch"|coslice.NodeScore|coslice.PlacementRules

---@alias coslice.NodeScore fun(node: coslice.Node, job: coslice.PlacedJob, view: coslice.View, params: coslice.Params): number|false|nil, integer|integer[]|nil

---@class coslice.PlacementRules
---@field rank? "first"|"best-fit"|"pack"|"spread"|"switch"|coslice.NodeScore (default "first")
---@field ties? "order"|"random" Which of equally good nodes comes first: by the order of nodes (the default), or each equally likely.
---@field gpus? "fitting"|"first"|"random" Which GPU a job gets that asks for a share of one: the one with the least left that is enough (the default), the first, or each equally likely. Only where the function does not say.
---@field groups? string[]|"runs" Nodes that lie near one another, such as those of a switch: kinds, nodes, lists or ranges (`{ "n[1-4]", "m[1-4],g1" }`). Of nodes that are equally good, a job gets those of the group with the fewest that are enough, else first those of the group with the most. With `"runs"`, of neighbours in the order of nodes that are equally good and on which the job fits: those of the run with the fewest cores left that is enough, else first those of the run with the most; the last node, or the only one, is the one of its run with the fewest cores left, the others are its first. Of a job of a range of nodes (`sizes = "2-4"`) a run is enough that has the fewest of them.
---@field switches? boolean True: where the machine has switches (`machine.switches`), these are the groups, whatever `groups` says.
---@field blocks? integer[] Nodes of blocks, ascending, `{ 4, 8, 16 }`: the groups are blocks (Slurm's topology/block), of which a job has one only, or as many beside one another as the first of these sizes has that is enough: two, four, ... of which the first is the first one of all, the third, the fifth, ... A job for which no size is enough has nodes of all. Nodes in no group are for no job. Beside `groups` or `switches`.
---@field cached? boolean False: the function's answers depend on what changes besides node, job and view; it is asked about every node each time.

---The node that is asked about. There is one such object, which shows one node after the other, and only while the
---function runs: what is to be kept is to be copied.
---@class coslice.Node
---@field cores_free number Cores that no job has.
---@field cores number
---@field memory_free? integer MiB that no job has; nil where memory is not modelled.
---@field memory? integer MiB.
---@field gpus integer GPUs of the node.
---@field gpu_free number[] What is left of each of them, from 0 to 1; from 1 to `gpus`.
---@field gpus_free number The sum of these.
---@field gpus_idle integer GPUs of which no job has a share.
---@field gpu_type? string
---@field kind string Name of its kind.
---@field features string[]
---@field speed number
---@field name string This and the fields below tell nodes apart that are equal otherwise: each is asked about by itself.
---@field number integer From 0.
---@field jobs integer Jobs on it.
---@field gpu_jobs integer Of them, those that have GPUs.
local Node = {}

---Returns how many GPUs are left on the node that typical jobs of the workload cannot use there, in the mean over these
---(Weng et al., USENIX ATC 2023, Section 3): all that is left for a job that does not fit or asks for no GPU, else
---those GPUs of which too little is left. Typical are the most frequent requests that make up 95 % of the jobs.
---@return number
function Node:fragmentation() end

---Returns by how much `fragmentation` grows if the job gets its part of the node; with `gpu`, a share of that GPU, or
---those of a list.
---@param job coslice.PlacedJob
---@param gpu? integer|integer[]
---@return number
function Node:fragmentation_added(job, gpu) end

---Returns the first of the GPUs that the job would get if the function did not say; nil if it asks for none.
---@param job coslice.PlacedJob
---@return integer?
function Node:fitting_gpu(job) end

---Returns how many jobs have that GPU of the node, or a share of it.
---@param gpu integer From 1 to `gpus`.
---@return integer
function Node:jobs_on(gpu) end

---Returns how many jobs on the node have as many GPUs as this one asks for, and like it whole ones or a share.
---@param job coslice.PlacedJob
---@return integer
function Node:alike(job) end

---Returns, where jobs slow one another down (`slowdown.model` on a machine with kinds of nodes), by how much the job's
---run time there would be longer than alone on nodes of speed 1, as things are now, as far as a scheduler can know.
---With `gpu`, on that GPU, or on those: a list of as many as the job asks for.
---@param job coslice.PlacedJob
---@param gpu? integer|integer[]
---@return number
function Node:slowdown(job, gpu) end

---Returns what `slowdown` would be if no other job were there: the effect of the node's speed and of the job's own
---processes.
---@param job coslice.PlacedJob
---@return number
function Node:alone(job) end

---Returns `slowdown` of that job on the node which would be slowed down most with this one beside it; 0 if none would
---share anything with it that slows jobs down.
---@param job coslice.PlacedJob
---@param gpu? integer|integer[]
---@return number
function Node:slows(job, gpu) end

---Returns how much more work the node would do per second with the job than without it: processes over slowdowns,
---summed over the jobs there. Where the others lose more than the job does, it is negative. The gain of a sharing group
---(Zeng 2009, Equation 6) as a rate.
---@param job coslice.PlacedJob
---@param gpu? integer|integer[]
---@return number
function Node:gain(job, gpu) end

---Returns the jobs that run on the node, where jobs slow one another down; else none. What an answer for which it was
---asked depends on is not kept.
---@return coslice.Job[]
function Node:others() end

---The job that is placed: what it asks for, and its own fields (see coslice.Job). Reading one of those makes it a question of
---its own.
---@class coslice.PlacedJob: coslice.Job
---@field request coslice.PlacedRequest

---What a job asks for on each of its nodes.
---@class coslice.PlacedRequest
---@field cores number
---@field gpus integer
---@field gpu_share number Of each of its GPUs; 0 without GPUs.
---@field gpu_types string[] Any of these; none: any.
---@field nodes integer
---@field memory integer MiB.
---@field exclusive boolean
---@field shares boolean Jobs of its partition may have its cores, or its nodes, at the same time.
---@field components? coslice.PlacedRequest[] Of a job of several components: what each of them asks for. Then all else but `nodes`, which are those of all, is that of the first one. A placement is asked about each component by itself.
