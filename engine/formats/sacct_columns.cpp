#include "formats/sacct_columns.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "formats/slurm_fields.h"

namespace coslice {

/// What stands in a column.
enum class SacctColumns::Shape {
  // what the reader of jobs asks for: another value cannot stand there
  kTime,
  kSpan,
  kCount,
  kTres,
  kState,
  kJobId,
  kNothing,  ///< behind the last delimiter of --parsable
  // what it does not ask for: figures, and names and the like, without blanks
  kFigure,
  kWord,
  // free texts
  kText,
  kConstraints,
  kCommand,
  kPath,
  kRareText,
  kUnknown,  ///< a column that is not known here
};

namespace {

// What is odd about a reading; only how they compare matters.
constexpr std::int64_t kImpossible = 1'000'000'000;
constexpr std::int64_t kJoins = 4;      ///< a delimiter or a line end in a free text
constexpr std::int64_t kJoinsRare = 5;  ///< in one that hardly ever has such
constexpr std::int64_t kEmpty = 1;      ///< nothing where something may stand
constexpr std::int64_t kSeldom = 100;   ///< nothing where only steps and jobs that never started say nothing
constexpr std::int64_t kMissing = 200;  ///< nothing where sacct always says something
constexpr std::int64_t kNotSeen = 1;    ///< a name for the first time
constexpr std::int64_t kNoWord = 10;    ///< blanks and signs in a name
constexpr std::int64_t kOddBeginning = 3;
constexpr std::size_t kMostJoined = 4096;  ///< delimiters in the free texts of one row

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& list) {
  return std::ranges::find(list, word) != list.end();
}

bool begins_with_digit(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

bool is_count(std::string_view value) {
  return value.empty() || (begins_with_digit(value) && value.find_first_not_of("0123456789.+_KMGT") == value.npos);
}

/// sacct writes states in full.
bool is_state(std::string_view value) {
  return value.substr(0, value.find_first_of(" +")).size() > 3 && slurm_end(value).has_value();
}

bool is_job_id(std::string_view value) {
  const std::size_t number = value.find_first_not_of("0123456789");
  if (number == 0) return false;
  return number == value.npos || std::string_view("_+.").find(value[number]) != std::string_view::npos;
}

bool is_span(std::string_view value) {
  constexpr std::array<std::string_view, 4> kWords{"UNLIMITED", "Partition_Limit", "INVALID", "Unknown"};
  return value.empty() || is_one_of(value, kWords) || slurm_duration(value);
}

constexpr std::size_t kShortestTime = 9;  ///< seconds since 1970 have as many digits

bool is_time(std::string_view value) {
  constexpr std::array<std::string_view, 4> kWords{"Unknown", "None", "N/A", "NONE"};
  return value.empty() || is_one_of(value, kWords) || (value.size() >= kShortestTime && slurm_time(value));
}

bool is_tres(std::string_view value) {
  constexpr std::array<std::string_view, 5> kUsual{"cpu=", "node=", "mem=", "billing=", "gres/"};
  return value.empty() || (slurm_tres(value) && std::ranges::any_of(kUsual, [&](std::string_view usual) {
                             return value.find(usual) != value.npos;
                           }));
}

/// Letters, digits and what names, lists of nodes and amounts have between them.
bool is_word(std::string_view value) {
  constexpr std::string_view kSigns = "_-.,:=@+/*[]()%#~^";
  return value == "None assigned" || std::ranges::all_of(value, [&](unsigned char c) {
           return std::isalnum(c) != 0 || c >= 0x80 || kSigns.find(static_cast<char>(c)) != kSigns.npos;
         });
}

/// "12", "0:0", "1-02:03:04", "3.50G", "4000Mc", "Unknown".
bool is_figure(std::string_view value) {
  constexpr std::array<std::string_view, 6> kWords{"Unknown", "None", "UNLIMITED", "Partition_Limit", "INVALID", "?"};
  return is_one_of(value, kWords) ||
         (value[0] >= '0' && value[0] <= '9' && value.find_first_not_of("0123456789:.-+KMGTPEcn?") == value.npos);
}

std::size_t line_ends_in(std::string_view text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

}  // namespace

SacctColumns::Shape SacctColumns::shape_of(std::string_view column) {
  constexpr std::array<std::string_view, 5> kTimes{"Submit", "Start", "End", "Eligible", "Begin"};
  constexpr std::array<std::string_view, 5> kSpans{"Elapsed", "Timelimit", "Suspended", "Planned", "Reserved"};
  constexpr std::array<std::string_view, 10> kCounts{"NNodes",  "AllocNodes", "ReqNodes", "NCPUS",    "AllocCPUS",
                                                     "ReqCPUS", "ElapsedRaw", "NTasks",   "JobIDRaw", "UID"};
  constexpr std::array<std::string_view, 5> kTexts{"JobName", "Comment", "AdminComment", "SystemComment", "Extra"};
  constexpr std::array<std::string_view, 8> kRareTexts{"Reason",   "FailedReason", "WCKey",          "Container",
                                                       "Licenses", "Reservation",  "ReqReservation", "McsLabel"};
  constexpr std::array<std::string_view, 4> kPaths{"WorkDir", "StdIn", "StdOut", "StdErr"};
  constexpr std::array<std::string_view, 19> kWords{
      "Account", "AllocGRES",     "BlockID",  "Cluster",       "Exclusive",     "FailedNode", "Flags",
      "Group",   "Layout",        "NodeList", "OriginalSLUID", "OverSubscribe", "Partition",  "QOS",
      "QOSREQ",  "ReqCPUFreqGov", "ReqGRES",  "SLUID",         "User"};
  constexpr std::array<std::string_view, 48> kFigures{
      "AssocID",       "AveCPU",        "AveCPUFreq",      "AveDiskRead",     "AveDiskWrite",
      "AvePages",      "AveRSS",        "AveVMSize",       "ConsumedEnergy",  "ConsumedEnergyRaw",
      "CPUTime",       "CPUTimeRAW",    "DBIndex",         "DerivedExitCode", "ExitCode",
      "GID",           "MaxDiskRead",   "MaxDiskReadTask", "MaxDiskWrite",    "MaxDiskWriteTask",
      "MaxPages",      "MaxPagesTask",  "MaxRSS",          "MaxRSSTask",      "MaxVMSize",
      "MaxVMSizeTask", "MinCPU",        "MinCPUTask",      "PlannedCPU",      "PlannedCPURAW",
      "Priority",      "QOSRAW",        "ReqCPUFreq",      "ReqCPUFreqMax",   "ReqCPUFreqMin",
      "ReqMem",        "ReservationId", "Restarts",        "ResvCPU",         "ResvCPURAW",
      "SegmentSize",   "SystemCPU",     "TimelimitRaw",    "TotalCPU",        "UserCPU",
      "WCKeyID",       "ElapsedRAW",    "NTasks"};
  if (column.empty()) return Shape::kNothing;
  if (is_one_of(column, kTimes)) return Shape::kTime;
  if (is_one_of(column, kSpans)) return Shape::kSpan;
  if (is_one_of(column, kCounts)) return Shape::kCount;
  if (column == "AllocTRES" || column == "ReqTRES") return Shape::kTres;
  if (column == "State") return Shape::kState;
  if (column == "JobID") return Shape::kJobId;
  if (column == "Constraints") return Shape::kConstraints;
  if (column == "SubmitLine") return Shape::kCommand;
  if (is_one_of(column, kPaths)) return Shape::kPath;
  if (is_one_of(column, kTexts)) return Shape::kText;
  if (is_one_of(column, kRareTexts)) return Shape::kRareText;
  if (is_one_of(column, kFigures)) return Shape::kFigure;
  // A node, or figures of several resources.
  const bool of_node = column.starts_with("M") && column.ends_with("Node");
  if (of_node || column.starts_with("TRESUsage") || is_one_of(column, kWords)) return Shape::kWord;
  return Shape::kUnknown;
}

SacctColumns::SacctColumns(std::vector<std::string> names, std::string delimiter)
    : names_(std::move(names)), delimiter_(std::move(delimiter)) {
  for (const std::string& name : names_) shapes_.push_back(shape_of(name));
}

bool SacctColumns::matters(std::size_t column) const {
  constexpr std::array<std::string_view, 7> kUsed{"User",   "Account",      "Partition", "QOS",
                                                  "ReqMem", "TimelimitRaw", "NodeList"};
  return shapes_[column] <= Shape::kNothing ? names_[column] != "UID" && names_[column] != "NTasks"
                                            : is_one_of(names_[column], kUsed);
}

bool SacctColumns::is_free(std::size_t column) const { return shapes_[column] >= Shape::kText; }

bool SacctColumns::look_right(const std::vector<std::string_view>& fields) const {
  for (std::size_t c = 0; c != fields.size(); ++c) {
    const std::string_view value = fields[c];
    if (shapes_[c] > Shape::kNothing) continue;
    if (shapes_[c] == Shape::kNothing ? !value.empty() : value.empty()) {
      if (shapes_[c] == Shape::kNothing || shapes_[c] == Shape::kJobId) return false;
      continue;
    }
    const bool digit = begins_with_digit(value);
    switch (shapes_[c]) {
      case Shape::kTime:
        if (digit ? value.size() < kShortestTime || value.size() > 35 : !is_time(value)) return false;
        break;
      case Shape::kSpan:
        if (digit ? value.find_first_not_of("0123456789:-.") != value.npos : !is_span(value)) return false;
        break;
      case Shape::kState:
        if (!is_state(value)) return false;
        break;
      case Shape::kTres:
        if (value.find('=') == value.npos) return false;
        break;
      case Shape::kCount:
        if (!is_count(value)) return false;
        break;
      case Shape::kJobId:
        if (!digit) return false;
        break;
      default: break;
    }
  }
  return true;
}

std::int64_t SacctColumns::cost_of(std::size_t column, std::string_view value, const Seen& seen) const {
  const auto only_if = [&](bool fits) { return !fits ? kImpossible : value.empty() ? kSeldom : 0; };
  const auto said_if = [&](bool fits) { return !fits ? kImpossible : value.empty() ? kMissing : 0; };
  if (value.find('\n') != value.npos) return kImpossible;
  switch (shapes_[column]) {
    case Shape::kTime: return said_if(is_time(value));
    case Shape::kSpan: return only_if(is_span(value));
    case Shape::kCount: return said_if(is_count(value));
    case Shape::kTres: return only_if(is_tres(value));
    case Shape::kState: return said_if(value.empty() || is_state(value));
    case Shape::kJobId: return only_if(is_job_id(value));
    case Shape::kNothing: return value.empty() ? 0 : kImpossible;
    default: break;
  }
  if (value.empty()) return kEmpty;
  if (shapes_[column] == Shape::kFigure) return is_figure(value) ? 0 : kNoWord;
  if (!is_word(value)) return kNoWord;
  return seen && seen(column, value) ? 0 : kNotSeen;
}

std::int64_t SacctColumns::cost_to_begin(std::size_t column, std::string_view part) const {
  const std::int64_t ends = static_cast<std::int64_t>(line_ends_in(part)) * kJoins;
  if (part.empty()) return ends;
  switch (shapes_[column]) {
    case Shape::kCommand: {
      const std::string_view word = part.substr(0, part.find_first_of(" \t\n"));
      const std::string_view name = word.substr(word.find_last_of('/') + 1);
      constexpr std::array<std::string_view, 5> kCommands{"sbatch", "srun", "salloc", "scrontab", "sattach"};
      return ends + (is_one_of(name, kCommands) ? 0 : kOddBeginning);
    }
    case Shape::kPath: return ends + (part[0] == '/' || part[0] == '%' ? 0 : kOddBeginning);
    default: return cost_to_join(column, part) - kJoins;
  }
}

std::int64_t SacctColumns::cost_to_join(std::size_t column, std::string_view part) const {
  const std::int64_t ends = static_cast<std::int64_t>(line_ends_in(part)) * kJoins;
  switch (shapes_[column]) {
    case Shape::kConstraints:
      return ends + kJoins + (part.find_first_of(" \t\"'") == part.npos ? 0 : 2 * kOddBeginning);
    case Shape::kPath:
    case Shape::kRareText:
    case Shape::kUnknown: return ends + kJoinsRare;
    default: return ends + kJoins;
  }
}

/// The least costs of giving the first, and the last, columns their parts, by how many parts too many are used up.
class SacctColumns::Table {
 public:
  Table(const SacctColumns& all, const std::vector<std::string_view>& parts, const Seen& seen)
      : all_(all), parts_(parts), seen_(seen), extra_(parts.size() - all.size()),
        before_((all.size() + 1) * (extra_ + 1), kImpossible), behind_(before_) {
    before(0, 0) = 0;
    for (std::size_t c = 0; c != all.size(); ++c) forward(c);
    behind(all.size(), extra_) = 0;
    for (std::size_t c = all.size(); c-- != 0;) backward(c);
  }

  std::int64_t cost() const { return behind_[0]; }

  Reading reading() {
    Reading out;
    out.cost = cost();
    std::size_t used = 0;
    for (std::size_t c = 0; c != all_.size(); ++c) {
      look_for_others(c, out);
      const std::size_t then = next(c, used);
      out.fields.push_back(joined(c + used, c + then));
      used = then;
    }
    return out;
  }

 private:
  std::int64_t& before(std::size_t c, std::size_t used) { return before_[c * (extra_ + 1) + used]; }
  std::int64_t& behind(std::size_t c, std::size_t used) { return behind_[c * (extra_ + 1) + used]; }

  std::string_view joined(std::size_t first, std::size_t last) const {
    const char* const end = parts_[last].data() + parts_[last].size();
    return {parts_[first].data(), static_cast<std::size_t>(end - parts_[first].data())};
  }

  void forward(std::size_t c) {
    std::int64_t run = kImpossible;
    for (std::size_t used = 0; used <= extra_; ++used) {
      const std::string_view part = parts_[c + used];
      const std::int64_t here = before(c, used);
      if (!all_.is_free(c)) {
        if (here < kImpossible) before(c + 1, used) = std::min(kImpossible, here + all_.cost_of(c, part, seen_));
        continue;
      }
      if (run < kImpossible) run += all_.cost_to_join(c, part);
      if (here < kImpossible) run = std::min(run, here + all_.cost_to_begin(c, part));
      before(c + 1, used) = std::min(run, kImpossible);
    }
  }

  void backward(std::size_t c) {
    std::int64_t run = kImpossible;  // of going on within the column behind this part
    for (std::size_t used = extra_ + 1; used-- != 0;) {
      const std::string_view part = parts_[c + used];
      const std::int64_t then = behind(c + 1, used);
      if (!all_.is_free(c)) {
        if (then < kImpossible) behind(c, used) = std::min(kImpossible, then + all_.cost_of(c, part, seen_));
        continue;
      }
      run = std::min(run, then);
      if (run >= kImpossible) continue;
      behind(c, used) = std::min(kImpossible, run + all_.cost_to_begin(c, part));
      run += all_.cost_to_join(c, part);
    }
  }

  /// How many parts too many are used up behind column c, on the way of least cost that joins the fewest there.
  std::size_t next(std::size_t c, std::size_t used) {
    if (!all_.is_free(c)) return used;
    std::int64_t run = all_.cost_to_begin(c, parts_[c + used]);
    for (std::size_t then = used; then < extra_; ++then) {
      if (run + behind(c + 1, then) == behind(c, used)) return then;
      run += all_.cost_to_join(c, parts_[c + then + 1]);
    }
    return extra_;
  }

  /// Whether readings of the same cost have something else in the column.
  void look_for_others(std::size_t c, Reading& out) {
    const std::string_view* first = nullptr;
    std::size_t ways = 0;
    for (std::size_t used = 0; used <= extra_; ++used) {
      if (before(c, used) >= kImpossible || before(c, used) + behind(c, used) != cost()) continue;
      ++ways;
      if (all_.is_free(c)) continue;
      if (first != nullptr && *first != parts_[c + used]) (all_.matters(c) ? out.ambiguous : out.uncertain) = true;
      first = &parts_[c + used];
    }
    if (all_.is_free(c) && ways > 1) out.uncertain = true;
  }

  const SacctColumns& all_;
  const std::vector<std::string_view>& parts_;
  const Seen& seen_;
  std::size_t extra_;
  std::vector<std::int64_t> before_, behind_;
};

std::optional<SacctColumns::Reading> SacctColumns::read(std::string_view row, const Seen& seen) const {
  const std::vector<std::string_view> parts = sacct_fields(row, delimiter_);
  if (parts.size() < size() || parts.size() - size() > kMostJoined) return std::nullopt;
  Table table(*this, parts, seen);
  if (table.cost() >= kImpossible) return std::nullopt;
  return table.reading();
}

bool SacctColumns::begins_a_row(std::string_view line) const {
  const std::vector<std::string_view> parts = sacct_fields(line, delimiter_);
  bool any = false;
  for (std::size_t c = 0; c != size() && !is_free(c); ++c) {
    if (c + 1 >= parts.size() || cost_of(c, parts[c], {}) >= kNoWord) return any && c + 1 == size();
    any = any || (shapes_[c] < Shape::kNothing && !parts[c].empty());
  }
  return any;
}

bool SacctColumns::may_be_cut_off(std::string_view lines) const {
  const std::vector<std::string_view> parts = sacct_fields(lines, delimiter_);
  if (parts.size() >= size()) return false;
  // How many parts the columns so far may have taken: 1, and up to 2 more for what tells.
  std::vector<std::uint8_t> taken(parts.size() + 1, 0);
  taken[0] = 1;
  for (std::size_t c = 0; c != size(); ++c) {
    std::vector<std::uint8_t> next(parts.size() + 1, 0);
    std::uint8_t open = 0;
    for (std::size_t n = 0; n != parts.size(); ++n) {
      open = is_free(c) ? std::max(open, taken[n]) : taken[n];
      if (open == 0 || (!is_free(c) && cost_of(c, parts[n], {}) >= kNoWord)) continue;
      const bool tells = shapes_[c] < Shape::kNothing && !parts[n].empty();
      next[n + 1] = std::max(next[n + 1], static_cast<std::uint8_t>(std::min(3, open + tells)));
    }
    if (next[parts.size()] == 3) return true;
    taken = std::move(next);
  }
  return false;
}

bool SacctColumns::may_go_on(std::string_view lines) const {
  const std::vector<std::string_view> parts = sacct_fields(lines, delimiter_);
  if (parts.size() > size() + kMostJoined) return false;
  // How many parts the columns so far may have taken.
  std::vector<bool> taken(parts.size() + 1, false);
  taken[0] = true;
  for (std::size_t c = 0; c != size(); ++c) {
    std::vector<bool> next(parts.size() + 1, false);
    bool open = false;
    for (std::size_t n = 0; n != parts.size(); ++n) {
      open = (open && is_free(c)) || taken[n];
      if (!open) continue;
      if (is_free(c)) {
        if (n + 1 == parts.size()) return true;
        next[n + 1] = true;
      } else if (taken[n] && cost_of(c, parts[n], {}) < kNoWord) {
        next[n + 1] = true;
      }
    }
    taken = std::move(next);
  }
  return false;
}

std::string_view sacct_delimiter(std::string_view header) {
  header.remove_prefix(std::min(header.find_first_of(kSacctLetters), header.size()));
  std::size_t at = header.find_first_not_of(kSacctLetters);
  if (at != header.npos && header[at] == '%') at = header.find_first_not_of("%-0123456789", at);  // a column's width
  if (at == header.npos) return "|";
  const std::size_t end = header.find_first_of(kSacctLetters, at);
  return end == header.npos ? "|" : header.substr(at, end - at);
}

std::vector<std::string_view> sacct_fields(std::string_view line, std::string_view delimiter) {
  std::vector<std::string_view> fields;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  for (std::size_t end; (end = line.find(delimiter)) != line.npos; line.remove_prefix(end + delimiter.size()))
    fields.push_back(line.substr(0, end));
  fields.push_back(line);
  return fields;
}

namespace {

constexpr std::string_view kEscape = "\\u00";
constexpr std::size_t kEscaped = 6;  ///< bytes: "\u007c"

int hexadecimal(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/// The character that stands escaped at the text's beginning, if it is one that would be.
std::optional<char> escaped_at(std::string_view text, std::string_view delimiter) {
  if (text.size() < kEscaped || !text.starts_with(kEscape)) return {};
  const int high = hexadecimal(text[4]), low = hexadecimal(text[5]);
  if (high < 0 || low < 0) return {};
  const char c = static_cast<char>(high * 16 + low);
  const bool any = c == '\n' || c == '\r' || c == '\\' || (!delimiter.empty() && c == delimiter.front());
  return any ? std::optional(c) : std::nullopt;
}

}  // namespace

std::string escaped_sacct_field(std::string_view text, std::string_view delimiter) {
  if (text.find_first_of("\n\r\\") == text.npos && text.find(delimiter) == text.npos &&
      (text.empty() || delimiter.size() < 2 || text.back() != delimiter.front()))
    return std::string(text);
  std::string out;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const bool delimits = !delimiter.empty() && text[i] == delimiter.front();
    const bool looks_escaped = text[i] == '\\' && text.substr(i).starts_with(kEscape);
    if (delimits || looks_escaped || text[i] == '\n' || text[i] == '\r')
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[i]));
    else out += text[i];
  }
  return out;
}

std::string plain_sacct_field(std::string_view field, std::string_view delimiter) {
  std::string out;
  for (std::size_t i = 0; i < field.size();) {
    if (const auto c = escaped_at(field.substr(i), delimiter)) out += *c, i += kEscaped;
    else out += field[i++];
  }
  return out;
}

std::optional<std::vector<std::string>> quoted_sacct_fields(std::string_view line, std::string_view delimiter) {
  std::vector<std::string> fields;
  for (;;) {
    std::string& field = fields.emplace_back();
    if (line.starts_with('"')) {
      std::size_t i = 1;
      for (; i < line.size(); ++i) {
        if (line[i] == '"' && line.substr(i + 1).starts_with('"')) ++i;
        else if (line[i] == '"') break;
        field += line[i];
      }
      if (i == line.size()) return {};  // no end
      line.remove_prefix(i + 1);
    } else {
      const std::size_t end = std::min(line.find(delimiter), line.size());
      field = line.substr(0, end);
      if (field.find('"') != field.npos) return {};
      line.remove_prefix(end);
    }
    if (line.empty()) return fields;
    if (!line.starts_with(delimiter)) return {};
    line.remove_prefix(delimiter.size());
  }
}

}  // namespace coslice
