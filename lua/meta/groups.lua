---@meta
-- Shared nodes: the field `sharing` of a policy, and what its own pass may call. Times are seconds.
-- (Zeng 2009, Chapter 4.)

---Lets jobs share nodes: two at most on one, with no more processes than it has cores. A job that runs for itself has
---`alone` processes on each of its nodes, in a group `shared`; both are asked once, when it is submitted, and say how many
---nodes it needs. How much slower jobs get by it is the scenario's business (`[slowdown]`).
---
---`layout` says on which cores: `"across"` (the default), a job's processes on different processors first, and those of two
---jobs on cores of the same processors; `"within"`, on the cores of one processor first, and no processor for two jobs
---(Zeng 2009, Figures 12 and 17). Within a processor, several processes are slowed down as over cores, and jobs by each
---other as `beside_apart` says.
---@class coslice.Sharing
---@field alone fun(job: coslice.Job, machine: coslice.Machine, params: coslice.Params): integer
---@field shared fun(job: coslice.Job, machine: coslice.Machine, params: coslice.Params): integer
---@field layout? "across"|"within"
---@field by_use? boolean Partners are looked for by what jobs use (`view:partners`): the scenario has to say it, by `[slowdown]` with `model = "resources"`. Default false.

---Jobs that may become part of a sharing group, in some order. Valid in the hook that made it, like a group. `#list` is
---their number.
---@class coslice.Candidates
local Candidates = {}

---Returns the jobs of the candidates.
---@param most? integer At most this many of them.
---@return coslice.Job[]
function Candidates:jobs(most) end

---Returns the candidates for which the function returns true.
---@param keep fun(job: coslice.Job): boolean
---@return coslice.Candidates
function Candidates:where(keep) end

---Returns the candidates in order of the function's values, lowest first; equal ones keep their order.
---@param key fun(job: coslice.Job): number
---@return coslice.Candidates
function Candidates:by(key) end

---Returns the candidates of several processes.
---@return coslice.Candidates
function Candidates:parallel() end

---Returns the candidates of one process.
---@return coslice.Candidates
function Candidates:serial() end

---Returns the candidates that have at most `nodes` nodes in a group.
---@param nodes integer
---@return coslice.Candidates
function Candidates:fitting(nodes) end

---Returns the first `most` candidates.
---@param most integer
---@return coslice.Candidates
function Candidates:first(most) end

---Returns the candidates on whose nodes the job could be placed: `tolerating`, seen from the other side.
---@param job coslice.Job
---@param limits? table As for `tolerating`.
---@return coslice.Candidates
function Candidates:bearing(job, limits) end

---Returns all candidates but that job.
---@param job coslice.Job
---@return coslice.Candidates
function Candidates:without(job) end

---Returns the list with that job first, if it is in it.
---@param job coslice.Job
---@return coslice.Candidates
function Candidates:leading(job) end

---Returns whether the job is in the list.
---@param job coslice.Job
---@return boolean
function Candidates:contains(job) end

---Returns the candidates that could share the primary's nodes: there are cores for both, neither slows the other down
---too much, and they are not much wider nor much longer than the primary.
---@param primary coslice.Job
---@param limits? { max_slowdown?: number, total?: boolean, exceed?: number, longer?: number } Slowdown of each by the other (default 1.25), including that by its own processes (`total`, default true); nodes beyond the primary's as a part of them (0.125); time beyond the primary's, s (3000).
---@return coslice.Candidates
function Candidates:tolerating(primary, limits) end

---Returns a list of that job alone, if `tolerating` gives it; else an empty list.
---@param primary coslice.Job
---@param limits? table As for `tolerating`.
---@param job coslice.Job
---@return coslice.Candidates
function Candidates:tolerating_one(primary, limits, job) end

---Cuts the list into blocks.
---@param size integer
---@param order? "given"|"longest" Inside a block (default "given"): as they come, or those with the longest estimates first.
---@return coslice.Candidates[]
function Candidates:blocks(size, order) end

---Returns for each candidate the group that begins with it and goes on with those behind it until one does not fit over
---the primary's nodes.
---@param primary coslice.Job
---@param exceed number Nodes beyond the primary's, as a part of them.
---@return coslice.Groups
function Candidates:windows(primary, exceed) end

---Returns for each candidate the group of it and the primary.
---@param primary coslice.Job
---@return coslice.Groups
function Candidates:pairs(primary) end

---Returns the group of all candidates over the primary; nil if there are none.
---@param primary coslice.Job
---@return coslice.Group?
function Candidates:group(primary) end

---Returns the group with the highest gain among all that fit; nil if none does. Raises an error beyond a million sets.
---@param primary coslice.Job
---@param exceed number
---@param most? integer Matched jobs at most.
---@param least? number The least gain that will do; explanations tell of the best one where it gains less.
---@return coslice.Group?
function Candidates:best_of_all(primary, exceed, most, least) end

---Groups in some order: `groups[i]`, `#groups`.
---@class coslice.Groups
local Groups = {}

---Returns the groups with that job.
---@param job coslice.Job
---@return coslice.Groups
function Groups:with(job) end

---Returns the group with the highest gain, the first of equal ones; nil if there is none.
---@return coslice.Group?
function Groups:best() end

---Returns each group without the jobs that contribute nothing (Group:purified).
---@return coslice.Groups
function Groups:purified() end

---Returns the groups with at least that gain, in their order.
---@param least number
---@return coslice.Groups
function Groups:gaining(least) end

---Returns the groups with at least that gain, the highest first.
---@param least? number
---@return coslice.Groups
function Groups:by_gain(least) end

---Returns these groups, then the others.
---@param others coslice.Groups
---@return coslice.Groups
function Groups:joined(others) end

---A primary job and others that would share its nodes. Nothing has been started.
---@class coslice.Group
---@field primary coslice.Job
---@field gain number Utilization gain: node time that the jobs would need one process a node, beyond what they use together, over the latter (Zeng 2009, Eq. 6).
---@field nodes integer That it occupies.
---@field fresh integer Of these, not yet held by its members.
---@field size integer Jobs, with the primary.
local Group = {}

---Returns the jobs beside the primary.
---@return coslice.Job[]
function Group:matched() end

---Returns whether the job is in the group.
---@param job coslice.Job
---@return boolean
function Group:contains(job) end

---Adds the candidates that fit and raise the gain, one after the other; returns a group for each.
---@param others coslice.Candidates
---@param exceed number Nodes beyond the primary's, as a part of them.
---@return coslice.Groups
function Group:extended(others, exceed) end

---Returns the group without the jobs that contribute nothing; the worst for the primary leaves first.
---@return coslice.Group
function Group:purified() end

---Returns what happens until the primary ends or no job is left beside it: how long each period lasts, the primary's
---slowdown, which jobs are still there.
---@return { time: number, slowdown: number, matched: coslice.Job[] }[]
function Group:periods() end

---Only where the policy has the field `sharing`.
---@class coslice.View
---@field idle integer Nodes on which nothing runs that may not be stopped, whatever is reserved.
local View = {}

---Returns all waiting jobs, in order of the queue.
---@return coslice.Candidates
function View:waiting_candidates() end

---Returns the started jobs that share nodes with no other job, least delayed first: by predicted over expected response
---time, where something was expected.
---@param options? { expected?: number, predicted?: number, slack?: number, members?: boolean } As `fair` has them.
---@return coslice.Candidates
function View:running_candidates(options) end

---Notes what response time a waiting job can expect: that of conservative backfilling of all waiting jobs, each for
---itself, on the wall clock, without what loading memory takes in time slices. For the hook `submitted`. With options, as `fair` has them, the run's summary counts the
---jobs that end later than the slack allows.
---@param job coslice.Job
---@param options? { slack?: number, expected?: number, predicted?: number, members?: boolean }
---@return number seconds
function View:expect(job, options) end

---Sets how many processes the waiting job would have on each of its nodes, if it had them for itself: `job.nodes` and
---its reservation follow. Raises an error if a node has fewer cores, or there are not enough nodes.
---@param job coslice.Job
---@param processes_per_node integer
function View:spread(job, processes_per_node) end

---Returns the nodes of the machine, and the processors and cores of one of them.
---@return coslice.Machine
function View:machine() end

---Returns whether the job's reservation is for now and its nodes are idle, so that it can be started alone.
---@param job coslice.Job
---@return boolean
function View:can_start_alone(job) end

---Returns how many nodes the job has in a group.
---@param job coslice.Job
---@return integer
function View:nodes_in_group(job) end

---Returns whether the group makes no job, waiting or running, so late that its predicted response time exceeds the
---expected one by more than the slack, or not any later than it is without the group (Zeng 2009, Eq. 4).
---@param group coslice.Group
---@param options? { slack?: number, expected?: number, predicted?: number, members?: boolean } F_slack (1.5); the part of what was noted that counts as expected (0.75), the same for the time to come (0.75); whether the group's own jobs are protected (true).
---@return boolean
function View:fair(group, options) end

---Returns whether the nodes that the group needs are idle.
---@param group coslice.Group
---@return boolean
function View:can_start_group(group) end

---Returns whether the group could start now and leave every reservation of others where it is.
---@param group coslice.Group
---@return boolean
function View:fits_group(group) end

---Returns the first of the groups that can start and is fair; if there is none, nil and what the last of them failed at:
---"unfair", "reservation" (it would move one), "nodes" (too few are idle), "gain" (the list is empty).
---@param groups coslice.Groups
---@param options? table As for `fair`.
---@param stays? boolean Whether it must leave every reservation of others where it is (default false).
---@return coslice.Group?
---@return string?
function View:first_acceptable(groups, options, stays) end

---Notes what the policy does with a waiting job whatever the queue is like, for `prospects`. For the hook `submitted`.
---@param job coslice.Job
---@param choices { shares?: boolean, searches?: boolean, ppn?: integer, most?: integer } Whether it may be in a group (default true); whether a group is looked for when its turn comes (true); processes per node by itself as it waits, and those with which it is tried when its turn comes.
function View:note_choices(job, choices) end

---Iterates over the waiting jobs behind that one which may start, alone or in a group that moves no reservation, in
---order of the queue. The others are left out, and with them searches that would come to nothing: around a parallel job
---one with all other waiting jobs, around a serial one those with all serial ones around each of the first parallel
---jobs that tolerate it. Those searches are counted, and jobs with a second number of processes per node are tried with it.
---@param head coslice.Job It is in no group.
---@param limits table As for `tolerating`.
---@param search { groups?: "none"|"pairs"|"sets", primaries?: integer } Which groups are looked for (default "sets"); how many of the first parallel jobs.
---@return fun(): coslice.Job
function View:prospects(head, limits, search) end

---Starts the group now: those that wait start, those that run share their nodes from now on. Reservations that no longer
---fit move. Raises an error if the nodes are not idle.
---@param group coslice.Group
function View:start_group(group) end
