---@meta
-- Pairs of jobs on shared nodes, by what they use: CPU, network, disk and memory. Only where the policy has the field
-- `sharing` and the scenario `[slowdown]` with `model = "resources"`. A pair is a group with one matched job.
-- (Sodan & Lan 2005.)

---What the scenario knows of a job's use of nodes; nil where it knows nothing.
---@class coslice.Job
---@field cpu number? Part of its run time in which it computes.
---@field network number? In which it communicates.
---@field disk number? In which it reads and writes; the three add up to 1.
---@field kind "cpu"|"network"|"disk"|nil What it is bound by, as it was said or drawn.
---@field memory_fraction number? Of a node's memory.

---The jobs with which a job may share its nodes. Rules apply in this order.
---@class coslice.PairRules
---@field depth? number How many jobs behind it in the queue are looked at (default: all).
---@field behind? coslice.Job Not those behind the job itself, but all others behind this waiting one.
---@field over? number Both have estimates above this, s (0).
---@field narrower? boolean The job that comes last has no more nodes than the one that is there (true).
---@field memory? boolean Both fit into the memory of a node (true).
---@field matchable? boolean Their kinds go together (true), see `kinds`.
---@field kinds? { [1]: string, [2]: string }[] Pairs of kinds that go together (default: all). Two of the same kind must, besides, compete for their resource with a factor below 2: for two CPU-bound jobs that is drawn, network and disk have 2.
---@field max_slowdown? number Of either (1.6).

---How a partner is chosen.
---@class coslice.PairChoice
---@field by "first"|"gain"|"weighted-gain"|"response"|"first-gain" The first that will do; the highest U_gain,2, or U_gain,1; the best impact on all jobs' response times; the first with a gain. Of equal ones the first; none with a profit of 0 or less.
---@field head? coslice.Job A waiting job that the pair must not delay (EASY backfilling).
---@field own? "slowdown"|"work" For response: how the job itself counts, by its slowdown (default), or, as printed, by the pair's delay over its work.
---@field arrivals? { first: number, others: number, work: number, queued?: boolean } For response: jobs that are to come, per second: those that go before all others, and the others; their mean work, nodes x seconds over the nodes of the machine, s; whether the others queue up (default), or, as printed, wait for themselves only. Default: none come.

---@class coslice.View
local View = {}

---Returns the jobs behind a waiting one, or behind `rules.behind`, that may share its nodes, in order of the queue; and
---how many candidates each rule left.
---@param job coslice.Job
---@param rules? coslice.PairRules
---@return coslice.Candidates partners
---@return integer long_enough
---@return integer narrow_enough
---@return integer memory_fits
---@return integer matchable
---@return integer slow_enough
function View:partners(job, rules) end

---Returns the jobs that run for themselves and on whose nodes a waiting one may be placed, in order of their starts;
---and the counts of `partners`.
---@param job coslice.Job
---@param rules? coslice.PairRules
---@return coslice.Candidates partners
---@return integer long_enough
---@return integer narrow_enough
---@return integer memory_fits
---@return integer matchable
---@return integer slow_enough
function View:running_partners(job, rules) end

---Returns the best partner of a waiting job among these, which must come from `partners` or `running_partners` for it.
---The wider one is the primary job, a running one always.
---@param job coslice.Job
---@param partners coslice.Candidates
---@param choice coslice.PairChoice
---@return coslice.Group? pair Nil if none is worth it.
---@return integer? rank Which of the partners it is, from 1.
---@return number? profit
function View:best_pair(job, partners, choice) end

---Returns how much slower a started job runs now than alone with one process on each node, as monitoring would tell:
---math.huge while it stands still.
---@param job coslice.Job
---@return number
function View:slowdown(job) end

---Takes the pair apart in which the job runs: the one that was placed on the other's nodes stops, keeps its place, and
---goes on when the other has ended. Raises an error if the job runs beside no other, or in a group in which others run
---beside it or beyond the primary's nodes, and under time slices. (Sodan & Lan 2005, Section 5.1.)
---@param job coslice.Job
function View:separate(job) end
