#include "slurm/simulator_events.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "core/time.h"
#include "slurm/resource_lists.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// "10.50" in nanoseconds; nothing for what is no number of seconds, or more of them than an instant may have.
std::optional<std::int64_t> seconds_with_decimals(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto count = whole_number(text.substr(0, point));
  const auto whole = count ? outside_instant(*count) : std::nullopt;
  if (!whole || point == text.npos) return whole;
  std::string decimals(text.substr(point + 1));
  if (decimals.empty() || decimals.size() > 9) return {};
  decimals.resize(9, '0');
  const auto part = whole_number(decimals);
  return part ? std::optional(*whole + *part) : std::nullopt;
}

/// Takes the words of a line one after the other.
class EventLine {
 public:
  EventLine(std::string_view text, Place place) : place_(std::move(place)) {
    while (!text.empty()) {
      const std::size_t begin = text.find_first_not_of(" \t\r");
      if (begin == text.npos) break;
      text.remove_prefix(begin);
      const std::size_t end = std::min(text.find_first_of(" \t\r"), text.size());
      words_.push_back(text.substr(0, end));
      text.remove_prefix(end);
    }
  }

  bool ended() const { return at_ == words_.size(); }
  /// The next option, split at its '=': "--mem=500G" is "--mem", and its value is kept.
  std::string_view option() {
    const std::string_view word = words_[at_++];
    const std::size_t equals = word.substr(0, 2) == "--" ? word.find('=') : word.npos;
    value_.reset();
    if (equals != word.npos) value_ = word.substr(equals + 1);
    name_ = word.substr(0, equals);
    return name_;
  }
  std::string value() {
    if (!value_ && ended()) fail("has no value");
    return unquoted(value_ ? *value_ : words_[at_++]);
  }
  [[noreturn]] void fail(const std::string& what, const std::string& expected = "") const {
    fail_at(place_, fmt::format("{} {}", printable(shortened(name_, 40)), what), expected);
  }
  const Place& place() const { return place_; }

 private:
  static std::string unquoted(std::string_view text) {
    const bool quoted = text.size() > 1 && text.front() == text.back() && (text[0] == '"' || text[0] == '\'');
    return std::string(quoted ? text.substr(1, text.size() - 2) : text);
  }

  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  std::string_view name_;
  std::optional<std::string_view> value_;
  Place place_;
};

std::int64_t whole_option(EventLine& line, std::int64_t least = 0) {
  const std::string text = line.value();
  const auto value = whole_number(text);
  if (!value || *value < least || *value > 2'000'000'000)
    line.fail(fmt::format("is '{}'", printable(shortened(text, 40))), fmt::format("a whole number from {} on", least));
  return *value;
}

std::int64_t mebibytes_option(EventLine& line) {
  const std::string text = line.value();
  const auto value = read_mebibytes(text);
  if (!value) line.fail(fmt::format("is '{}'", printable(shortened(text, 40))), "memory such as 4000, 4000M or 16G");
  return *value;
}

void read_gpus(EventLine& line, SubmittedJob& job, const std::string& text) {
  for (const Gres& g : read_gres(text, line.place())) {
    if (g.name != "gpu") continue;
    job.gpus_per_node = g.count;
    job.gpu_type = g.type;
  }
}

/// "4", or a range, "2-4".
void read_nodes(EventLine& line, SubmittedJob& job) {
  const std::string text = line.value();
  const std::size_t dash = text.find('-');
  const auto fewest = whole_number(std::string_view(text).substr(0, dash));
  const auto most = dash == text.npos ? fewest : whole_number(std::string_view(text).substr(dash + 1));
  if (!fewest || !most || *fewest < 1 || *most < *fewest || *most > 2'000'000'000)
    line.fail(fmt::format("is '{}'", printable(shortened(text, 40))), "a number of nodes, or a range such as 2-4");
  job.nodes = *fewest;
  job.most_nodes = *most > *fewest ? *most : 0;
}

void read_walltime(EventLine& line, SubmittedJob& job) {
  const std::string text = line.value();
  if (text.substr(0, 2) == "-1") {
    job.runtime = -1;
    return;
  }
  const auto time = seconds_with_decimals(text);
  if (!time) line.fail(fmt::format("is '{}'", printable(shortened(text, 40))), "seconds, or -1");
  job.runtime = *time;
}

/// Slurm counts limits in minutes, begun ones in full.
void read_limit(EventLine& line, SubmittedJob& job) {
  const std::string text = line.value();
  const auto span = read_span(text);
  if (!span) line.fail(fmt::format("is '{}'", printable(shortened(text, 40))), "a time such as 30, 1:30:00 or 2-12:00");
  if (!span->endless && span->seconds > 0) job.limit = outside_span((span->seconds + 59) / 60, 60).count();
}

/// The digits at the end: "jobid_00012" is 12.
void read_id(EventLine& line, SubmittedJob& job) {
  const std::string text = line.value();
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  const auto id = whole_number(std::string_view(text).substr(digits));
  if (id) job.id = *id;
  else if (digits == text.size())
    line.fail(fmt::format("is '{}'", printable(shortened(text, 40))), "a name that ends with the job's number");
}

using OptionReader = std::function<void(EventLine&, SubmittedJob&)>;

/// What each option does, under all its names.
const std::map<std::string_view, OptionReader>& option_readers() {
  static const std::map<std::string_view, OptionReader> readers = [] {
    std::map<std::string_view, OptionReader> all;
    const auto add = [&](std::initializer_list<std::string_view> names, const OptionReader& read) {
      for (const std::string_view name : names) all[name] = read;
    };
    using J = SubmittedJob;
    add({"-sim-walltime", "--sim-walltime"}, read_walltime);
    add({"-jid", "-J", "--job-name"}, read_id);
    add({"-t", "--time"}, read_limit);
    add({"-n", "--ntasks"}, [](EventLine& l, J& j) { j.tasks = whole_option(l, 1); });
    add({"--ntasks-per-node"}, [](EventLine& l, J& j) { j.tasks_per_node = whole_option(l, 1); });
    add({"-c", "--cpus-per-task"}, [](EventLine& l, J& j) { j.cpus_per_task = whole_option(l, 1); });
    add({"-N", "--nodes"}, read_nodes);
    add({"--segment"}, [](EventLine& l, J& j) { j.segment = whole_option(l, 1); });
    add({"--mem"}, [](EventLine& l, J& j) { j.memory_per_node = mebibytes_option(l); });
    add({"--mem-per-cpu"}, [](EventLine& l, J& j) { j.memory_per_cpu = mebibytes_option(l); });
    add({"--gres"}, [](EventLine& l, J& j) { read_gpus(l, j, l.value()); });
    add({"--gpus-per-node"}, [](EventLine& l, J& j) { read_gpus(l, j, "gpu:" + l.value()); });
    add({"-C", "--constraint"}, [](EventLine& l, J& j) { j.features = l.value(); });
    add({"--uid"}, [](EventLine& l, J& j) { j.user = lower_case(l.value()); });
    add({"-A", "--account"}, [](EventLine& l, J& j) { j.account = lower_case(l.value()); });
    add({"-p", "--partition"}, [](EventLine& l, J& j) { j.partition = l.value(); });
    add({"-q", "--qos"}, [](EventLine& l, J& j) { j.qos = lower_case(l.value()); });
    add({"--exclusive"}, [](EventLine&, J& j) { j.exclusive = true; });
    add({"-s", "--oversubscribe"}, [](EventLine&, J& j) { j.oversubscribe = true; });
    return all;
  }();
  return readers;
}

class EventsReader {
 public:
  EventsReader(const std::string& file, ImportPage& page)
      : source_(std::make_shared<const Source>(Source{file, ""})), page_(page) {}

  std::vector<SubmittedJob> read(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      line(text.substr(0, end), {source_, number});
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (jobs_.empty()) fail_at({source_, 0}, "no job is submitted", "lines -dt S -e submit_batch_job | OPTIONS SCRIPT");
    number_others();
    note_others();
    return std::move(jobs_);
  }

 private:
  void line(std::string_view text, const Place& place) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == text.npos || text[begin] == '#') return;
    const std::size_t bar = text.find('|');
    if (bar == text.npos)
      fail_at(place, "the line has no bar", "-dt S -e submit_batch_job | OPTIONS SCRIPT",
              "a file that was cut off ends like this");
    SubmittedJob job;
    job.place = place;
    if (read_head(EventLine(text.substr(0, bar), place), job))
      read_options(EventLine(text.substr(bar + 1), place), job);
  }

  /// "-dt 10.5 -e submit_batch_job"; whether it is a submission.
  bool read_head(EventLine line, SubmittedJob& job) {
    std::string event;
    while (!line.ended()) {
      const std::string_view name = line.option();
      const std::string value = line.value();
      if (name == "-dt") {
        const auto time = seconds_with_decimals(value);
        if (!time) line.fail(fmt::format("is '{}'", printable(shortened(value, 40))), "seconds");
        job.submit = *time;
      } else if (name == "-e") {
        event = value;
      } else {
        line.fail("does not belong before the bar", "-dt and -e");
      }
    }
    if (event == "submit_batch_job") return true;
    if (others_["event " + event].count++ == 0) others_["event " + event].first = line.place();
    return false;
  }

  void read_options(EventLine line, SubmittedJob& job) {
    bool script = false;
    while (!line.ended()) {
      const std::string_view name = line.option();
      if (name[0] != '-') {
        script = true;
        break;  // what follows are the script's own arguments
      }
      const auto found = option_readers().find(name);
      if (found != option_readers().end()) found->second(line, job);
      else unknown_option(line, name);
    }
    if (!script)
      fail_at(line.place(), "the line does not end with a script", "-dt S -e submit_batch_job | OPTIONS SCRIPT",
              "a file that was cut off ends like this");
    if (job.runtime == 0) ++instant_;
    if (job.id > 0 && !ids_.insert(job.id).second)
      fail_at(line.place(), fmt::format("there is a job {} already", job.id), "a number for each job");
    jobs_.push_back(std::move(job));
  }

  void unknown_option(EventLine& line, std::string_view name) {
    if (name.substr(0, 2) != "--") {
      std::vector<std::string> known;
      for (const auto& [option, reader] : option_readers()) known.emplace_back(option);
      fail_at(line.place(), fmt::format("there is no option {}", printable(shortened(name, 40))),
              fmt::format("one of {}", fmt::join(known, " ")), did_you_mean(name, known));
    }
    Other& other = others_["option " + std::string(name)];
    if (other.count++ == 0) other.first = line.place();
  }

  void number_others() {
    std::int64_t last = ids_.empty() ? 0 : *ids_.rbegin();
    for (SubmittedJob& job : jobs_)
      if (job.id == 0) job.id = ++last;
  }

  void note_others() {
    for (const auto& [what, other] : others_)
      page_.ignored(what, place_text(other.first), fmt::format("{} lines; not modelled", other.count));
    if (instant_ > 0)
      page_.costs(fmt::format("{} jobs that end at once (-sim-walltime 0)", instant_), "they run for 1 ms");
  }

  struct Other {
    std::int64_t count = 0;
    Place first;
  };

  std::shared_ptr<const Source> source_;
  ImportPage& page_;
  std::vector<SubmittedJob> jobs_;
  std::set<std::int64_t> ids_;
  std::map<std::string, Other> others_;
  std::int64_t instant_ = 0;
};

}  // namespace

bool looks_like_events(std::string_view text) {
  const std::size_t begin = text.find("-dt ");
  return begin != text.npos && begin < 4096 && text.find(" -e ") != text.npos;
}

std::vector<SubmittedJob> read_events(std::string_view text, const std::string& file, ImportPage& page) {
  return EventsReader(file, page).read(text);
}

}  // namespace coslice::slurm
