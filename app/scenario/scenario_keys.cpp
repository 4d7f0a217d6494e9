// The keys of a scenario, each declared once.
#include "scenario/key_tables.h"

#include "jobs/literal_jobs.h"
#include "process/program.h"
#include "scenario/jobs/change_workload.h"
#include "scenario/machine/listed_machine.h"
#include "scenario/machine/machine_keys.h"

namespace coslice {
namespace {

using codec::choice;
using codec::flag;
using codec::integer;
using codec::kilobytes;
using codec::real;
using codec::seconds;
using codec::text;

constexpr std::int64_t kMaxCount = 1'000'000'000'000;
constexpr std::int64_t kMaxInteger = INT64_MAX;

#define CLASS(member) COSLICE_FIELD(JobClass, member)
#define FIELD(member) COSLICE_FIELD(Scenario, member)

void check_jobs(const std::vector<JobSpec>& jobs, const Value& list, const std::string& path) {
  if (const auto problem = literal_problem(jobs))
    fail_at((*list.list())[problem->index].place,
            path + "[" + std::to_string(problem->index + 1) + "] " + problem->what, problem->expected);
}

/// Attributes of jobs that may say which application runs.
std::vector<std::string> application_choices() {
  std::vector<std::string> names;
  for (const Attribute& a : kAttributes)
    if (a.kind == Attribute::Kind::kNumber && a.has(Attribute::kPolicy)) names.emplace_back(a.name);
  names.emplace_back(kApplicationsDrawn);
  return names;
}

const std::vector<Key<JobClass>>& class_keys() {
  using C = JobClass;
  static const std::vector<Key<C>> keys = {
      {"name", text<C>(CLASS(name)), "What tables call it.", true},
      {"up_to", seconds<C>(CLASS(upper), {0, kMaxSeconds, true}), "Longest run time in it. The last class has none."},
  };
  return keys;
}

void check_classes(const std::vector<JobClass>& classes, const Value& list, const std::string& path) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const Place& place = (*list.list())[i].place;
    const std::string here = path + "[" + std::to_string(i + 1) + "]";
    const bool last = i + 1 == classes.size();
    if (last != (classes[i].upper == Duration::max())) {
      fail_at(place, here + (last ? " is the last class and has an up_to" : " has no up_to"),
              "an up_to in every class but the last, which takes all longer jobs");
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (classes[k].name == classes[i].name)
        fail_at(place, "class '" + classes[i].name + "' appears twice in " + path, "a different name for each class");
    }
    if (i > 0 && classes[i - 1].upper >= classes[i].upper) {
      fail_at(place, here + ".up_to is not above the one before", "classes in growing order of up_to");
    }
  }
  if (classes.empty()) fail_at(list.place, path + " is empty", "at least one class");
}

bool is_digest(const std::string& s) {
  return s.size() == 64 && s.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// slowdown.mix: three shares.
Codec<Scenario> mix() {
  const std::string words = "three shares that add up to 1: of CPU-bound, network-bound and disk-bound jobs";
  return {words,
          [=](Scenario& s, const Value& v, const std::string& p) {
            const Value::List* list = v.list();
            if (list == nullptr || list->size() != kResources) codec::wrong(v, p, words);
            double sum = 0;
            for (std::size_t i = 0; i != kResources; ++i) {
              s.slowdown.mix[i] = codec::read_real((*list)[i], p, words, {0, 1});
              sum += s.slowdown.mix[i];
            }
            if (!(sum > 1 - 1e-9 && sum < 1 + 1e-9)) codec::wrong(v, p, words);
          },
          [](const Scenario& s) -> std::optional<Value> {
            Value::List list;
            for (const double share : s.slowdown.mix) list.push_back(Value(share));
            return Value(list);
          }};
}

/// Whether jobs of a trace have their nodes for themselves.
Codec<Scenario> exclusive() {
  const std::string words = "true, false or \"always\"";
  return {words,
          [=](Scenario& s, const Value& v, const std::string& p) {
            Exclusive& field = s.workload.exclusive;
            if (v.text() != nullptr && *v.text() == "always") field = Exclusive::kAlways;
            else field = codec::read_flag(v, p, words) ? Exclusive::kYes : Exclusive::kNo;
          },
          [](const Scenario& s) -> std::optional<Value> {
            if (s.workload.exclusive == Exclusive::kAlways) return Value("always");
            return Value(s.workload.exclusive == Exclusive::kYes);
          }};
}

/// What jobs do to one another on a heterogeneous machine: elsewhere, or without slowdowns, a scenario says
/// nothing of it.
Codec<Scenario> of_contention(Codec<Scenario> codec) {
  codec.write = [write = codec.write](const Scenario& s) {
    const bool none = s.slowdown.model == SlowdownSpec::Model::kNone;
    return none || (!names_kinds(s.machine) && s.lists.nodes.empty()) ? std::nullopt : write(s);
  };
  return codec;
}

/// [inputs]: names to digests. The keys are paths, so they move like paths.
Codec<Scenario> digests() {
  const std::string words = "a table of SHA-256 digests";
  Codec<Scenario> c{words,
                    [=](Scenario& s, const Value& v, const std::string& p) {
                      if (!v.is_table()) codec::wrong(v, p, words);
                      for (const Member& m : *v.members()) {
                        const std::string where = p + ".\"" + m.key + "\"";
                        const std::string sha = codec::read_text(m.value, where, "64 hexadecimal digits");
                        if (!is_digest(sha)) codec::wrong(m.value, where, "64 hexadecimal digits in lower case");
                        Value name(m.key);
                        name.place = m.value.place;
                        s.inputs.push_back({is_input_label(m.key) ? m.key : codec::read_path(name, where, "a path"),
                                            sha, m.value.place});
                      }
                    },
                    [](const Scenario& s) -> std::optional<Value> {
                      if (s.inputs.empty()) return std::nullopt;
                      Value table = Value::table();
                      for (const RecordedInput& d : s.inputs) table.set(d.name, d.sha256);
                      return table;
                    }};
  c.is_table = true;
  return c;
}

/// [[processes.programs]]; a scenario without does not say that there are none.
Codec<Scenario> programs() {
  Codec<Scenario> c = codec::records<Scenario, ProgramSpec>(FIELD(processes.programs), program_keys(), check_programs);
  c.write = [write = c.write](const Scenario& s) { return s.processes.programs.empty() ? std::nullopt : write(s); };
  return c;
}

/// [machine], and what stands above all tables.
std::vector<Key<Scenario>> keys_of_run_and_machine() {
  using T = Scenario;
  Key<T> keys[] = {
      {"name", text<T>(FIELD(name)), "Title in results. Default: the file's name without its ending."},
      {"description", text<T>(FIELD(description)), "For people."},
      {"seed", integer<T>(FIELD(seed), 0, kMaxInteger), "Of all random numbers."},

      {"machine.nodes", nodes_or_kinds(),
       "Nodes; 0 takes the number from the head of the trace, else the largest job. Or kinds of nodes, each a table."},
      {"machine.processors", of_equal_nodes(integer<T>(FIELD(machine.processors), 1, 1024)), "Processors per node."},
      {"machine.cores", of_equal_nodes(integer<T>(FIELD(machine.cores), 1, 1024)), "Cores per processor."},
      {"machine.memory", of_equal_nodes(memory_of_equal_nodes()),
       "Memory per node, under policies that coschedule processes; 0: not modelled. A machine with partitions or "
       "licences refuses jobs that ask for more."},
      {"machine.price", codec::real<T>(FIELD(power.price), {0, kMostPrice}),
       "Price of one node-hour while the node is up and powered on, in any currency; with it, runs report their cost. "
       "On a heterogeneous machine each kind has its own. Default: none."},
      {"machine.partitions", machine_partitions(), "Sets of nodes in which jobs are submitted; they may overlap."},
      {"machine.licences", machine_licences(), "Licences: held by jobs while they run, not tied to nodes."},
      {"machine.switches", machine_switches(),
       "Nodes that are near one another in the network. Only a policy's placement looks at them; how many switches "
       "jobs span is among the figures."},
  };
  return moved(keys);
}

/// [workload].
std::vector<Key<Scenario>> keys_of_workload() {
  using T = Scenario;
  Key<T> keys[] = {
      {"workload.trace", codec::path<T>(FIELD(workload.trace)),
       "An SWF file, a dump of sacct, a list of jobs or of pods, or another format that is read "
       "([formats.md](formats.md)); plain or gzip."},
      {"workload.generator", choice<T>(FIELD(workload.generator), {"lublin"}),
       "A built-in model; see `[workload.lublin]`."},
      {"workload.script", codec::path<T>(FIELD(workload.script)),
       "A Lua file that yields jobs; see `[workload.params]`."},
      {"workload.jobs", codec::records<T, JobSpec>(FIELD(workload.jobs), job_spec_keys(), check_jobs),
       "The jobs themselves."},
      {"workload.name", text<T>(FIELD(workload.name)), "Name in results. Default: after the source."},
      {"workload.window", codec::interval<T>(FIELD(workload.transform.window)),
       "Keep only jobs submitted from `from` to before `to`, in seconds of the trace."},
      {"workload.first", integer<T>(FIELD(workload.transform.first), 0, kMaxCount),
       "Keep only the first n jobs (of the window); 0: all."},
      {"workload.recorded_until", seconds<T>(FIELD(workload.recorded_until), {0, kMaxSubmitSeconds}),
       "Of a trace that says when jobs started: until this second of the trace they start when they did on record (on "
       "the nodes on record, where nodes differ and sacct's NodeList is there), and the policy decides from there on; "
       "time slices begin then. "
       "It is told of everything before, so that usage, ages and what is left of running jobs are right."},
      {"workload.load_factor", real<T>(FIELD(workload.transform.load_factor), {0, 1e6, true}),
       "Multiplies the offered load by pressing arrivals together."},
      {"workload.size_factor", real<T>(FIELD(workload.transform.size_factor), {0, 1e6, true}),
       "Multiplies sizes, rounded, at least 1."},
      {"workload.time_factor", real<T>(FIELD(workload.transform.time_factor), {0, 1e6, true}),
       "Multiplies run times and limits."},
      {"workload.time_added", seconds<T>(FIELD(workload.transform.time_added)),
       "Added to run times, not to limits (s): what starting and ending a job takes, which a record in whole seconds "
       "cuts "
       "off (0.3 in an imported site, so that no job ends at the very instant of a look at the queue). Jobs that had "
       "ended by `recorded_until` stay as they are."},
      {"workload.estimates", choice<T>(FIELD(workload.transform.estimates), {"trace", "exact", "scaled", "model"}),
       "Limits as in the trace, equal to the run time, run time times `estimate_factor`, or drawn from a model of what "
       "users ask for."},
      {"workload.estimate_factor", real<T>(FIELD(workload.transform.estimate_factor), {0, 1e6, true}),
       "For `estimates = \"scaled\"`."},

      {"workload.longest_estimate", seconds<T>(FIELD(workload.transform.longest_estimate), {0, kMaxSeconds, true}),
       "For `estimates = \"model\"`: the longest that users may ask for. Default: a usual limit above the longest run "
       "time."},

      {"workload.exclusive", exclusive(),
       "On a machine with kinds of nodes or partitions: jobs of a trace or a model have their nodes for themselves; or "
       "only the cores and the memory that they ask for. Of jobs whose record says what they had of their nodes "
       "(sacct's AllocTRES), that counts, but for \"always\", as under Slurm's select/linear."},
      {"workload.skip_bad", flag<T>(FIELD(workload.skip_bad)),
       "Lines of an SWF trace or a dump of sacct that cannot be read are left out, with a warning that counts them, "
       "instead of being an error; also `--skip-bad` of commands."},
      {"workload.spread_tasks", flag<T>(FIELD(workload.spread_tasks)),
       "Jobs of a dump of sacct whose command (SubmitLine) says tasks, but not how many are on a node (`sbatch -n 8`, "
       "`-N 2 -n 8`), get cores as under Slurm: of each node what is left there, on as many nodes as it takes. Those "
       "with a range of nodes (`-N 2-4`) choose among these (`sizes`, `engine.molding`), and run as long on each. "
       "Else, "
       "and in a run with a policy that has time slices, groups or processes, they have as many nodes as on record, "
       "with as many cores on each."},
      {"workload.whole_processors", flag<T>(FIELD(workload.whole_processors)),
       "Jobs of a dump of sacct that says what they asked for (ReqTRES) have whole processors of their nodes, as under "
       "Slurm's CR_Socket: a processor for each core if these are free, else as many as hold its cores. Else, and "
       "in a run with a policy that has time slices, groups or processes, they have what is on record."},
      {"workload.sizes", choice<T>(FIELD(workload.sizes), {"given", "adjusted"}),
       "Sizes as they are; or taken as nodes with one process each, and adjusted to nodes with several cores by the "
       "slowdowns of `[slowdown]` (Zeng 2009, Equation 7)."},
      {"workload.adjust_max_slowdown", real<T>(FIELD(workload.adjustment.max_slowdown), {0, 1000, true}),
       "For `sizes = \"adjusted\"`: a job that is slowed down no more by a process on each core gets these."},
      {"workload.adjust_max_over_processors", real<T>(FIELD(workload.adjustment.max_over_processors), {0, 1000, true}),
       "The same for a process on each processor."},
      {"workload.adjust_rounding",
       choice<T>(FIELD(workload.adjustment.rounding), {"power-of-two", "formula", "drawn-power-of-two"}),
       "Multiply powers of two by the processes per node, so that they stay such; or keep the work of all jobs the "
       "same; or both: a power of two becomes the one below or above its formula, drawn so that the work is kept in "
       "the mean."},
  };
  return moved(keys);
}

/// [workload.lublin], [workload.params] and [processes].
std::vector<Key<Scenario>> keys_of_models() {
  using T = Scenario;
  Key<T> keys[] = {
      {"workload.lublin.jobs", integer<T>(FIELD(workload.lublin.jobs), 1, 100'000'000), "Number of jobs."},
      {"workload.lublin.nodes", integer<T>(FIELD(workload.lublin.nodes), 0, 100000),
       "Size of the machine that jobs are made for; 0: `machine.nodes`."},
      {"workload.lublin.load", real<T>(FIELD(workload.lublin.load), {0, 100, true}),
       "Offered load to set the gaps between arrivals for, instead of `alpha`. Default: as the model draws them."},
      {"workload.lublin.alpha", real<T>(FIELD(workload.lublin.alpha), {0, 30, true}),
       "Shape of the gaps between arrivals (`aarr`) of the typeless model; larger is a lower load. Default: the "
       "model's."},
      {"workload.lublin.arar", flag<T>(FIELD(workload.lublin.arar)),
       "Multiply that shape by the model's rush-to-all ratio. Default: true, but false where `alpha` is given."},
      {"workload.lublin.types", flag<T>(FIELD(workload.lublin.types)),
       "Batch and interactive jobs, each with its parameters."},
      {"workload.lublin.original", flag<T>(FIELD(workload.lublin.original)),
       "Job for job what the authors' program draws from this seed."},
      {"workload.params", codec::free_table<T>(FIELD(workload.params)), "Free keys."},

      {"processes.programs", programs(),
       "Bulk-synchronous programs: each process computes, sends, and waits for messages, again and again."},
      {"processes.script", codec::path<T>(FIELD(processes.script)),
       "A Lua file that gives jobs that name no program one of their own; see `[processes.params]`."},
      {"processes.path", choice<T>(FIELD(processes.path), {"exact", "closed", "fast"}),
       "Event by event; in closed form where a job has its processors for itself, with the same results; or also by "
       "measured rates where nothing changes, with a bound on the error in the summary."},
      {"processes.tolerance", real<T>(FIELD(processes.tolerance), {0, 0.05}),
       "`path = \"fast\"`: how far off a measured rate may be, as a part of it (half of its 99 % interval)."},
      {"processes.params", codec::free_table<T>(FIELD(processes.params)), "Free keys."},
  };
  return moved(keys);
}

/// [slowdown].
std::vector<Key<Scenario>> keys_of_slowdowns() {
  using T = Scenario;
  Key<T> keys[] = {
      {"slowdown.model", choice<T>(FIELD(slowdown.model), {"none", "drawn", "table", "script", "resources"}),
       "No slowdowns; drawn for each job and each pair from the distributions of Zeng (2009, Table 4); by application, "
       "from a file; computed by a Lua script; or made of what jobs use: the fractions of their time on CPU, network "
       "and disk, and their memory (Sodan & Lan 2005, Section 4.1)."},
      {"slowdown.table", codec::path<T>(FIELD(slowdown.table)), "For `model = \"table\"`: the file."},
      {"slowdown.applications", choice<T>(FIELD(slowdown.applications), application_choices()),
       "For `model = \"table\"`: the number of a job that says which application it runs; or drawn by the shares in "
       "the file. A job that has an `application` runs that, unless they are drawn."},
      {"slowdown.scheduler_knows", choice<T>(FIELD(slowdown.scheduler_knows), {"truth", "estimate", "nothing"}),
       "For a table with measured pairs: what schedulers believe that jobs do to one another. The truth is what was "
       "measured, and the estimate where nothing was; the estimate alone; or that no job slows another one down."},
      {"slowdown.script", codec::path<T>(FIELD(slowdown.script)), "For `model = \"script\"`: the file."},
      {"slowdown.params", codec::free_table<T>(FIELD(slowdown.params)), "Free keys."},

      {"slowdown.resources", codec::path<T>(FIELD(slowdown.resources)),
       "For `model = \"resources\"`: a CSV file with what jobs use, by number."},
      {"slowdown.mix", mix(),
       "For `model = \"resources\"`, jobs that neither the file nor the workload script describes: shares of "
       "CPU-bound, network-bound "
       "and disk-bound jobs. Their fractions and memory are drawn (Sodan & Lan 2005, Section 6.1)."},
      {"slowdown.overlap", choice<T>(FIELD(slowdown.conflicts.overlap), {"printed", "complete"}),
       "For `model = \"resources\"`: the slowdown is the weighted overlap of the fractions alone, but 1 at least, as "
       "the formula is "
       "printed; or with what does not overlap."},
      {"slowdown.competing", real<T>(FIELD(slowdown.conflicts.competing), {1, 100}),
       "For `model = \"resources\"`: factor on the time in which both want the same resource."},
      {"slowdown.compatible", real<T>(FIELD(slowdown.conflicts.compatible), {1, 100}),
       "For `model = \"resources\"`: factor for the CPU of compatible pairs, which are drawn."},
      {"slowdown.compatible_share", real<T>(FIELD(slowdown.conflicts.compatible_share), {0, 1}),
       "For `model = \"resources\"`: share of compatible pairs."},
      {"slowdown.memory_conflict", real<T>(FIELD(slowdown.conflicts.memory_conflict), {1, 100}),
       "For `model = \"resources\"`: slowdown of jobs that do not fit into the memory together."},
      {"slowdown.paging", choice<T>(FIELD(slowdown.conflicts.paging), {"at-least", "added"}),
       "For `model = \"resources\"`: whether the slowdown is at least `memory_conflict`, or grows by it."},
      {"slowdown.misjudged_share", real<T>(FIELD(slowdown.conflicts.misjudged_share), {0, 1}),
       "For `model = \"resources\"`: share of pairs whose slowdown differs from the estimate by which policies "
       "choose."},
      {"slowdown.misjudged", real<T>(FIELD(slowdown.conflicts.misjudged), {0.01, 100}),
       "For `model = \"resources\"`: the slowdown of these pairs is this many times the estimate, but 1 at least."},

      {"slowdown.among", of_contention(choice<T>(FIELD(slowdown.contention.among), {"node", "gpu"})),
       "On a machine with `[[machine.nodes]]`, where jobs have parts of nodes: which of them slow one another down, "
       "those on the same node or only those that use the same GPU."},
      {"slowdown.combine", of_contention(choice<T>(FIELD(slowdown.contention.combine), {"product", "worst", "sum"})),
       "There, several jobs beside one slow it down by the product of their factors, by the largest, or by 1 and what "
       "each adds to that."},
      {"slowdown.own", of_contention(flag<T>(FIELD(slowdown.contention.own))),
       "There, run times are with one process on a node, and a job that has several cores of a node is slowed down by "
       "its own processes. Otherwise run times are those of the job alone with what it asks for."},
  };
  return moved(keys);
}

/// [policy] and [engine].
std::vector<Key<Scenario>> keys_of_engine() {
  using T = Scenario;
  Key<T> keys[] = {
      {"policy.name", codec::texts<T>(FIELD(policy.names)),
       "A policy's name or its file; of several, the results are side by side."},
      {"policy.params", codec::free_table<T>(FIELD(policy.params)), "The policy's parameters."},

      {"engine.event_order", choice<T>(FIELD(engine.event_order), {"ends-first", "submissions-first"}),
       "Order of events at one instant: all ends, then submissions, then one pass; or submissions first, one pass an "
       "event."},
      {"engine.at_limit", choice<T>(FIELD(engine.at_limit), {"kill", "extend"}),
       "What happens to a job that reaches its limit: one of the time since its start, or of its work where time "
       "slices, "
       "groups on shared nodes or coscheduled processes make it wait."},
      {"engine.limit_check", seconds<T>(FIELD(engine.limit_check), {0, kMaxSeconds, true}),
       "Interval, s, at which limits are checked (Slurm: 30): a job is killed at the first check after its limit that "
       "finds it running. Without it, at its limit."},
      {"engine.first_limit_check", seconds<T>(FIELD(engine.first_limit_check)),
       "An instant at which limits are checked (s)."},
      {"engine.over_limit", seconds<T>(FIELD(engine.over_limit)),
       "For how long jobs may run on beyond their limits (Slurm: OverTimeLimit), which schedulers go on to believe."},
      {"engine.kill_wait", seconds<T>(FIELD(engine.kill_wait)),
       "Longest time for which a killed job keeps its nodes (Slurm: KillWait); it may end before by itself. Foreign "
       "jobs "
       "start only where they are gone by the end of the time slice even so. 0: it ends at once."},
      {"engine.unstarted", choice<T>(FIELD(engine.unstarted), {"wait", "drop"}),
       "What happens to a job that does not start in the scheduling pass after its submission: it waits, or it is "
       "rejected. Under time slices that may be for want of a slice of its class."},
      {"engine.dependencies", flag<T>(FIELD(engine.dependencies)),
       "Honour fields 17 and 18 of a trace: preceding job and think time. What jobs say themselves (`depends`) always "
       "counts."},
      {"engine.unfulfilled", choice<T>(FIELD(engine.unfulfilled), {"wait", "cancel"}),
       "What becomes of a job whose dependency (`depends`) can never be fulfilled: it never comes, nor do those that "
       "wait for its end; or it is cancelled at that instant, and has failed for those that depend on it."},
      {"engine.molding", choice<T>(FIELD(engine.molding), {"asked", "fits-now", "ends-first"}),
       "Which of its `sizes` a moldable job gets while it waits, unless its policy says: the one of its `nodes`; at "
       "each pass the largest that fits now; or the one with which it would end first, were it next. Where a policy "
       "lays jobs over one another: once, when it comes."},
      {"engine.processes_per_node", integer<T>(FIELD(engine.processes_per_node), 0, 1 << 20),
       "Processes of a job on each of its nodes; 0: one per core."},
      {"engine.instructions", integer<T>(FIELD(limits.instructions), 1000, kMaxInteger),
       "Lua instructions that one call of a script may take."},
      {"engine.memory", kilobytes<T>(FIELD(limits.memory_kb), {}, 1024), "Memory that a script's Lua state may take."},
      {"engine.trusted", flag<T>(FIELD(limits.trusted)),
       "Do not count instructions: faster, but an endless loop is endless."},
  };
  return moved(keys);
}

/// [metrics], [output] and [inputs].
std::vector<Key<Scenario>> keys_of_results() {
  using T = Scenario;
  Key<T> keys[] = {
      {"metrics.classes", codec::records<T, JobClass>(FIELD(metrics.classes), class_keys(), check_classes),
       "Classes of jobs by run time, in growing order."},
      {"metrics.bound", seconds<T>(FIELD(metrics.bound)), "Shortest run time that counts in bounded slowdown."},
      {"metrics.relative_response_bound", seconds<T>(FIELD(metrics.relative_response_bound)),
       "Shortest run time that counts in relative response time, which is bounded slowdown where it may be below 1."},
      {"metrics.demand_curves", flag<T>(FIELD(metrics.demand_curves)),
       "How full and how fragmented the machine's GPUs are by the demand that has arrived; where nodes have GPUs."},
      {"metrics.high_load", integer<T>(FIELD(metrics.high_load), 1, kMaxCount),
       "From this many waiting jobs on the load is high; how full the machine is then is reported apart."},
      {"metrics.trim", real<T>(FIELD(metrics.trim), {0, 0.45}),
       "Share of jobs left out at each end in the trimmed figures."},

      {"output.dir", codec::path<T>(FIELD(output.dir)),
       "Where results are written; without it none are. `--out` sets it."},
      {"output.files",
       codec::texts<T>(FIELD(output.files), {"jobs.csv", "schedule.swf", "timeline.csv", "classes.csv"}),
       "What is written there beside `summary.json` and the resolved `scenario.toml`."},

      {"inputs", digests(), "File to digest."},
  };
  return moved(keys);
}

/// One list after the other.
template <class... Lists>
std::vector<Key<Scenario>> joined(Lists... lists) {
  std::vector<Key<Scenario>> all;
  (all.insert(all.end(), std::make_move_iterator(lists.begin()), std::make_move_iterator(lists.end())), ...);
  return all;
}

}  // namespace

const std::vector<Key<Scenario>>& scenario_keys() {
  // Never destroyed: that would take a short run longer than it is worth.
  static const std::vector<Key<Scenario>>& keys = *new std::vector<Key<Scenario>>(with_list_keys(with_workload_changes(
      joined(keys_of_run_and_machine(), keys_of_workload(), keys_of_models(), keys_of_slowdowns(), keys_of_outages(),
             keys_of_power(), keys_of_reservations(), keys_of_engine(), keys_of_results()))));
  return keys;
}

}  // namespace coslice
