// What a dump of sacct says of arrays and of what jobs waited for.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "formats/sacct.h"
#include "formats/slurm_fields.h"
#include "jobs/attributes.h"
#include "jobs/workflow.h"

namespace coslice {
namespace {

/// The whole text as a number from 0 on; -1 if it is none.
std::int64_t whole_number_of(std::string_view text) {
  return std::max<std::int64_t>(parse_number<std::int64_t>(text).value_or(-1), -1);
}

/// Slurm has no higher indices (MaxArraySize), and no limits above them.
constexpr std::int64_t kMostOfArray = 4'000'000;

/// "1234_7" as 1234 and 7; nothing for other ids.
std::optional<JobName> element_of(std::string_view job_id) {
  const std::size_t bar = job_id.find('_');
  if (bar == job_id.npos) return std::nullopt;
  const JobName name{whole_number_of(job_id.substr(0, bar)), whole_number_of(job_id.substr(bar + 1))};
  return name.id >= 0 && name.element >= 0 && name.element <= kMostOfArray ? std::optional(name) : std::nullopt;
}

/// The limit behind the last '%'; 0 if there is none.
std::int64_t limit_in(std::string_view indices) {
  const std::size_t at = indices.rfind('%');
  const std::int64_t limit = at == indices.npos ? 0 : whole_number_of(indices.substr(at + 1));
  return limit > 0 && limit <= kMostOfArray ? limit : 0;
}

/// The words of a command; quotes are left out.
std::vector<std::string_view> words_of(std::string_view command) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBetween = " \t\"'";
  while (true) {
    command = trimmed(command, kBetween);
    if (command.empty()) return words;
    words.push_back(command.substr(0, command.find_first_of(kBetween)));
    command.remove_prefix(words.back().size());
  }
}

/// What the command says for an option, as "--name=VALUE", "--name VALUE", "-n VALUE" or "-nVALUE"; long names may be
/// cut, as getopt has it; "" if there is none.
std::string_view option_value(const std::vector<std::string_view>& words, std::string_view long_name,
                              std::string_view short_name) {
  constexpr std::size_t kShortest = 5;  // "--dep", "--arr": shorter ones are those of other options, too
  for (std::size_t i = 0; i != words.size(); ++i) {
    const std::string_view word = words[i], name = word.substr(0, word.find('='));
    const bool is_long = name.size() >= kShortest && long_name.substr(0, name.size()) == name;
    if (!is_long && word.substr(0, 2) != short_name) continue;
    if (is_long && word.size() > name.size() + 1) return word.substr(name.size() + 1);
    if (!is_long && word.size() > 2) return word.substr(2);
    return i + 1 != words.size() ? words[i + 1] : std::string_view{};
  }
  return {};
}

/// "afterok:3_*(unfulfilled)" as "afterok:3".
std::string without_states(std::string_view text) {
  std::string out;
  bool inside = false;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if (text[i] == '(') inside = true;
    if (!inside && text.substr(i, 2) == "_*") ++i;
    else if (!inside) out += text[i];
    if (text[i] == ')') inside = false;
  }
  return out;
}

/// One term in the words of coslice; "" for one that says nothing about time.
std::string known_term(std::string_view term, const std::optional<JobName>& element) {
  const std::string_view word = term.substr(0, term.find(':'));
  const std::string_view jobs = term.substr(word.size());
  if (word == "expand") return "";
  if (word == "afterburstbuffer") return "afterany" + std::string(jobs);
  if (word != "aftercorr") return std::string(term);
  std::string out = "afterok";
  for (std::string_view rest = jobs; !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view id = rest.substr(0, rest.find(':'));
    rest.remove_prefix(id.size());
    out.append(":").append(id);
    if (element && id.find('_') == id.npos) out += fmt::format("_{}", element->element);
  }
  return out;
}

std::string known_terms(std::string_view text, std::string_view job_id) {
  const std::string plain = without_states(lower_case(text));
  if (plain.empty() || plain == "none" || plain == "unknown") return "";
  const auto element = element_of(job_id);
  std::string out;
  std::string_view rest = plain;
  for (char between = 0;;) {
    const std::size_t end = rest.find_first_of(",?");
    if (const std::string term = known_term(rest.substr(0, end), element); !term.empty()) {
      if (!out.empty()) out += between;
      out += term;
    }
    if (end == rest.npos) break;
    between = rest[end];
    rest.remove_prefix(end + 1);
  }
  if (!out.empty()) read_dependency(out);
  return out;
}

std::string text_of(const DependencyTerm& t) {
  std::string out(name_of(t.kind));
  if (t.kind == DependencyKind::kSingleton) return out;
  out += ":" + name_of(t.on);
  if (t.delay > Duration{0}) out += fmt::format("+{}", t.delay / whole_seconds(60));
  return out;
}

/// Finds the jobs that terms name, by the ids of the site.
class JobsOnRecord {
 public:
  JobsOnRecord(const std::vector<Job>& jobs, const std::vector<std::string>& job_ids,
               const std::vector<bool>& numbered) {
    for (JobIndex j = 0; j != jobs.size(); ++j) {
      by_job_id_.try_emplace(job_ids[j], j);
      if (numbered[j]) by_number_.try_emplace(jobs[j].id, j);
      if (const auto element = element_of(job_ids[j])) last_of_array_[element->id] = j;
    }
  }

  /// Whether all that the name stands for are there, before job j.
  bool has_before(JobIndex j, const JobName& name) const {
    const auto array = last_of_array_.find(name.id);
    if (name.element < 0 && array != last_of_array_.end()) return array->second < j;
    if (const auto job = by_job_id_.find(name_of(name)); job != by_job_id_.end()) return job->second < j;
    const auto job = by_number_.find(name.id);
    return name.element < 0 && job != by_number_.end() && job->second < j;
  }

 private:
  std::unordered_map<std::string, JobIndex> by_job_id_;
  std::unordered_map<std::int64_t, JobIndex> by_number_, last_of_array_;
};

/// The text without what is not recorded.
std::string on_record(const std::string& text, const Job& job, JobIndex j, const JobsOnRecord& known) {
  const Dependency d = read_dependency(text);
  std::string out;
  for (const DependencyTerm& t : d.terms) {
    const bool there = t.kind == DependencyKind::kSingleton ? job.executable >= 0 : known.has_before(j, t.on);
    if (!there && d.any) return "";
    if (!there) continue;
    if (!out.empty()) out += d.any ? '?' : ',';
    out += text_of(t);
  }
  return out;
}

std::size_t terms_in(const std::string& text) { return text.empty() ? 0 : read_dependency(text).terms.size(); }

/// Options with which Slurm looks at more than tasks, CPUs and nodes.
constexpr std::array<std::string_view, 17> kOtherLayouts{"--ntasks-per-socket",
                                                         "--ntasks-per-core",
                                                         "--ntasks-per-gpu",
                                                         "--exclusive",
                                                         "--spread-job",
                                                         "--mincpus",
                                                         "--nodelist",
                                                         "-w",
                                                         "--contiguous",
                                                         "--gpus",
                                                         "-G",
                                                         "--overcommit",
                                                         "-O",
                                                         "--threads-per-core",
                                                         "-B",
                                                         "--switches",
                                                         "--segment"};

/// The value of an option as the command has it, "" where it has none; nothing without the option.
std::optional<std::string_view> value_in(const std::vector<std::string_view>& words, std::string_view long_name,
                                         std::string_view short_name) {
  for (std::size_t i = 0; i != words.size(); ++i) {
    const std::string_view word = words[i], name = word.substr(0, word.find('='));
    const bool is_short = !short_name.empty() && word.substr(0, 2) == short_name;
    if (name != long_name && !is_short) continue;
    const bool joined = is_short ? word.size() > 2 : word.size() > name.size();
    if (!joined && i + 1 == words.size()) return "";
    return !joined ? words[i + 1] : word.substr(is_short ? 2 : name.size() + 1);
  }
  return {};
}

/// A count as the command has it; 0 without one, -1 where it is none.
std::int64_t count_in(const std::vector<std::string_view>& words, std::string_view long_name,
                      std::string_view short_name) {
  const auto value = value_in(words, long_name, short_name);
  if (!value) return 0;
  const auto count = parse_number<std::int32_t>(*value);
  return count && *count > 0 ? *count : -1;
}

/// "2-4" or "1k-2k"; nothing for what is no range of counts.
std::optional<std::pair<std::int32_t, std::int32_t>> range_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == text.npos) return {};
  const auto count = [](std::string_view part) {
    const bool thousands = !part.empty() && (part.back() == 'k' || part.back() == 'K');
    if (thousands) part.remove_suffix(1);
    const auto n = parse_number<std::int32_t>(part);
    constexpr std::int32_t kMost = 1'000'000;
    return n && *n > 0 && *n <= kMost ? *n * (thousands ? 1024 : 1) : 0;
  };
  const std::int32_t fewest = count(text.substr(0, dash)), most = count(text.substr(dash + 1));
  return fewest > 0 && most > fewest ? std::optional(std::pair(fewest, most)) : std::nullopt;
}

bool has_option(const std::vector<std::string_view>& words, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return std::ranges::find(names, word.substr(0, word.find('='))) != names.end();
  });
}

}  // namespace

bool is_sacct_step(std::string_view job_id) {
  const std::string_view behind =
      job_id.find('[') == job_id.npos ? job_id : job_id.substr(std::min(job_id.find(']'), job_id.size()));
  return behind.find('.') != behind.npos;
}

WaitingElements waiting_elements(const std::string& job_id) {
  const std::size_t open = job_id.find("_[");
  if (open == job_id.npos) return {{job_id}};
  const auto tasks = slurm_tasks(std::string_view(job_id).substr(open + 1));
  if (!tasks) return {{job_id}, job_id.find("...") != job_id.npos};
  WaitingElements out{{}, tasks->cut};
  for (const std::int64_t index : tasks->indices)
    out.ids.push_back(fmt::format("{}_{}", job_id.substr(0, open), index));
  return out;
}

void CutLists::add(const std::string& id, std::int64_t read, std::int64_t line) {
  if (lists++ == 0) first = id, first_line = line;
  elements += read;
}

std::string CutLists::text() const {
  return fmt::format(
      "a list of elements of an array that sacct has cut off ({}): those that are listed are read, {} in "
      "all; make the dump with SLURM_BITSTR_LEN=0",
      printable(shortened(first, 40)), elements);
}

void SacctArrayLimits::note(std::string_view job_id, std::string_view submit_line) {
  const std::size_t bar = job_id.find('_');
  if (bar == job_id.npos) return;
  const std::int64_t array = whole_number_of(job_id.substr(0, bar));
  if (array < 0) return;
  std::int64_t limit = 0;
  const std::string_view indices = job_id.substr(bar + 1);
  if (indices.size() > 2 && indices.front() == '[' && indices.back() == ']')
    limit = limit_in(indices.substr(1, indices.size() - 2));
  else if (!submit_line.empty() && limit_by_array_.count(array) == 0)
    limit = limit_in(option_value(words_of(submit_line), "--array", "-a"));
  if (limit > 0) limit_by_array_[array] = limit;
}

std::string SacctArrayLimits::element_text(std::string_view job_id) const {
  const auto element = element_of(job_id);
  if (!element) return "";
  const auto limit = limit_by_array_.find(element->id);
  return limit == limit_by_array_.end() ? name_of(*element) : fmt::format("{}%{}", name_of(*element), limit->second);
}

std::optional<RecordedSpread> sacct_spread(std::string_view submit_line, std::int64_t cpus, std::int64_t nodes_had) {
  if (submit_line.empty()) return {};
  const std::vector<std::string_view> words = words_of(submit_line);
  for (const std::string_view word : words)
    if (std::ranges::find(kOtherLayouts, word.substr(0, word.find('='))) != kOtherLayouts.end()) return {};
  const std::int64_t tasks = count_in(words, "--ntasks", "-n"), nodes = count_in(words, "--nodes", "-N"),
                     per_node = count_in(words, "--ntasks-per-node", ""),
                     of_task = count_in(words, "--cpus-per-task", "-c");
  const bool ranges = nodes < 0 && nodes_had > 0 && nodes_had <= tasks && per_node == 0 &&
                      range_of(value_in(words, "--nodes", "-N").value_or(""));
  if (tasks <= 1 || (nodes < 0 && !ranges) || per_node < 0 || of_task < 0) return {};
  RecordedSpread spread{std::max<std::int64_t>(of_task, 1), 0, 1, static_cast<std::int32_t>(tasks)};
  if (tasks * spread.task_cpus != cpus) return {};
  if (ranges) {
    spread.fewest_nodes = spread.most_nodes = static_cast<std::int32_t>(nodes_had);
  } else if (nodes > 0) {
    if (per_node > 0 || nodes == 1 || tasks <= nodes) return {};
    spread.fewest_nodes = spread.most_nodes = static_cast<std::int32_t>(nodes);
  } else if (per_node > 0) {
    if (tasks <= per_node || tasks % per_node != 0) return {};
    spread.task_cpus = spread.most_cpus = per_node * spread.task_cpus;
  }
  return spread;
}

NodeWish sacct_node_wish(std::string_view submit_line, std::int64_t nodes,
                         const std::optional<RecordedSpread>& spread) {
  NodeWish wish;
  if (submit_line.find('-') == submit_line.npos) return wish;
  const std::vector<std::string_view> words = words_of(submit_line);
  wish.segment = static_cast<std::int32_t>(std::max<std::int64_t>(count_in(words, "--segment", ""), 0));
  auto range = range_of(value_in(words, "--nodes", "-N").value_or(""));
  // With GPUs in all Slurm takes as few nodes as do, as with --use-min-nodes.
  if (!range || has_option(words, {"--use-min-nodes", "--nodelist", "-w", "--gpus", "-G", "--spread-job"})) return wish;
  std::int64_t tasks = count_in(words, "--ntasks", "-n");
  if (tasks != 0 && !spread) return wish;
  // Without -n Slurm counts the tasks of the fewest nodes, and no job has more nodes than tasks.
  if (tasks == 0) tasks = count_in(words, "--ntasks-per-node", "") * range->first;
  if (tasks > 0) range->second = static_cast<std::int32_t>(std::min<std::int64_t>(range->second, tasks));
  if (nodes < range->first || nodes > range->second || range->second <= range->first) return wish;
  wish.fewest = range->first;
  wish.most = range->second;
  return wish;
}

std::string_view sacct_partitions(std::string_view submit_line, std::string_view partition) {
  if (submit_line.find(',') == submit_line.npos || partition.empty()) return partition;
  const std::vector<std::string_view> words = words_of(submit_line);
  if (std::ranges::find(words, ":") != words.end()) return partition;  // each component of a job has its own
  const std::string_view list = option_value(words, "--partition", "-p");
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (one == partition) return list;
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  return partition;
}

std::string sacct_dependency(std::string_view column, std::string_view submit_line, std::string_view job_id) {
  if (!column.empty()) return known_terms(column, job_id);
  if (submit_line.empty()) return "";
  try {
    return known_terms(option_value(words_of(submit_line), "--dependency", "-d"), job_id);
  } catch (const InputError&) {
    return "";  // an option -d of the script itself, or a word that the shell was to replace
  }
}

std::int64_t set_recorded_dependencies(Workload& workload, const std::vector<std::string>& job_ids,
                                       const std::vector<bool>& numbered, const std::vector<std::string>& depends) {
  if (std::ranges::all_of(depends, [](const std::string& d) { return d.empty(); })) return 0;
  const JobsOnRecord known(workload.jobs, job_ids, numbered);
  std::int64_t lost = 0;
  for (JobIndex j = 0; j != workload.jobs.size(); ++j) {
    if (depends[j].empty()) continue;
    const std::string text = on_record(depends[j], workload.jobs[j], j, known);
    if (terms_in(text) != terms_in(depends[j])) ++lost;
    workload.extras.set(workload.jobs[j], attributes::kDepends, text);
  }
  return lost;
}

std::string submit_line_of(const Job& job) {
  const std::string& depends = attributes::kDepends.text(job);
  const auto element = array_element(job);
  std::string out;
  if (element && element->limit > 0) out += fmt::format(" --array={}%{}", element->index, element->limit);
  if (!depends.empty()) out += " --dependency=" + depends;
  return out.empty() ? "" : "sbatch" + out;
}

}  // namespace coslice
