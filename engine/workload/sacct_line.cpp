#include "workload/sacct_line.h"

#include <algorithm>

#include "workload/slurm_fields.h"

namespace coslice {

namespace {

constexpr std::string_view kFreeTexts[] = {"JobName",      "Comment", "AdminComment", "SystemComment",
                                           "SubmitLine",   "WorkDir", "Constraints",  "Reason",
                                           "FailedReason", "Extra",   "WCKey",        "Container"};
constexpr std::size_t kMostDelimiters = 24;  // in the free texts of one line
constexpr std::size_t kMostFreeTexts = 3;

template <class List>
bool is_one_of(std::string_view word, const List& list) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether the value can stand in that column; of columns that may hold anything, it can.
bool fits_column(std::string_view column, std::string_view value) {
  constexpr std::string_view kTimes[] = {"Submit", "Start", "End", "Eligible"};
  constexpr std::string_view kSpans[] = {"Elapsed", "Timelimit", "Suspended", "Planned", "Reserved"};
  constexpr std::string_view kSpanWords[] = {"UNLIMITED", "Partition_Limit", "INVALID"};
  constexpr std::string_view kCounts[] = {"NNodes",  "AllocNodes", "ReqNodes", "NCPUS",    "AllocCPUS",
                                          "ReqCPUS", "ElapsedRaw", "NTasks",   "JobIDRaw", "UID"};
  constexpr std::string_view kResourceLists[] = {"AllocTRES", "ReqTRES"};
  if (is_one_of(column, kTimes))
    return value.empty() || value == "Unknown" || value == "None" || slurm_instant(value).has_value();
  if (is_one_of(column, kSpans)) return value.empty() || is_one_of(value, kSpanWords) || slurm_duration(value);
  if (is_one_of(column, kCounts)) return all_digits(value.substr(0, value.find_first_of(".+_")));
  if (is_one_of(column, kResourceLists)) return value.empty() || slurm_tres(value).has_value();
  if (column == "State") return value.empty() || slurm_end(value);
  if (column == "JobID") return !value.empty() && value[0] >= '0' && value[0] <= '9';
  return true;
}

/// Tries every way to give the delimiters that are too many to the free texts.
class Alignment {
 public:
  Alignment(const std::vector<std::string_view>& fields, const std::vector<std::string>& columns)
      : fields_(fields), columns_(columns) {}

  int find() {
    place(0, 0, fields_.size() - columns_.size());
    return ways_;
  }
  const std::vector<std::string_view>& best() const { return best_; }

 private:
  /// Fills column c from field f on; `extra` fields are still to be joined.
  void place(std::size_t c, std::size_t f, std::size_t extra) {
    if (c == columns_.size()) {
      if (extra == 0) found();
      return;
    }
    const std::size_t most = is_one_of(columns_[c], kFreeTexts) ? extra : 0;
    for (std::size_t joined = 0; joined <= most; ++joined) {
      const std::string_view first = fields_[f], last = fields_[f + joined];
      const std::string_view value(first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data()));
      if (!fits_column(columns_[c], value)) continue;
      taken_.push_back(value);
      place(c + 1, f + joined + 1, extra - joined);
      taken_.pop_back();
    }
  }

  /// Ways that differ in free texts only are one way: nothing else depends on them.
  void found() {
    if (ways_ > 0) {
      for (std::size_t c = 0; c < columns_.size(); ++c)
        if (!is_one_of(columns_[c], kFreeTexts) && taken_[c] != best_[c]) {
          ++ways_;
          return;
        }
    }
    if (ways_ == 0) ways_ = 1;
    best_ = taken_;
  }

  const std::vector<std::string_view>& fields_;
  const std::vector<std::string>& columns_;
  std::vector<std::string_view> taken_, best_;
  int ways_ = 0;
};

}  // namespace

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

int align_sacct_fields(std::vector<std::string_view>& fields, const std::vector<std::string>& columns) {
  const auto free_texts = static_cast<std::size_t>(
      std::count_if(columns.begin(), columns.end(), [](const std::string& c) { return is_one_of(c, kFreeTexts); }));
  if (free_texts == 0 || free_texts > kMostFreeTexts || fields.size() < columns.size() ||
      fields.size() - columns.size() > kMostDelimiters)
    return 0;
  Alignment alignment(fields, columns);
  const int ways = alignment.find();
  if (ways == 1) fields = alignment.best();
  return ways;
}

}  // namespace coslice
