#include "slurm/arrays.h"

#include <algorithm>
#include <vector>

#include "core/text.h"

namespace coslice::slurm {
namespace {

std::vector<std::string_view> fields_of(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find(delimiter, begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    if (end == line.size()) return fields;
    begin = end + 1;
  }
}

}  // namespace

void ArraySurvey::take(std::string_view block) {
  rest_ += block;
  std::size_t begin = 0;
  for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
    take_line(std::string_view(rest_).substr(begin, end - begin));
  rest_.erase(0, begin);
}

void ArraySurvey::take_line(std::string_view line) {
  if (delimiter_ == 0) {
    const auto end = std::find_if(line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c) == 0; });
    if (end == line.end()) return;
    delimiter_ = *end;
    const std::vector<std::string_view> names = fields_of(line, delimiter_);
    const auto column = [&](std::string_view name) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    id_ = column("JobID");
    line_ = column("SubmitLine") < names.size() ? column("SubmitLine") : id_;
    return;
  }
  if (line.find('_') == std::string_view::npos) return;
  const std::vector<std::string_view> fields = fields_of(line, delimiter_);
  if (fields.size() <= std::max(id_, line_)) return;
  const std::string_view id = fields[id_];
  limits_.note(id, line_ == id_ ? std::string_view() : fields[line_]);
  const std::size_t gap = id.find('_');
  if (gap == std::string_view::npos) return;
  const auto array = parse_number<std::int64_t>(id.substr(0, gap));
  const auto element = parse_number<std::int64_t>(id.substr(gap + 1));
  if (array && element) elements_[*array].insert(*element);
}

std::map<std::int64_t, std::int64_t> ArraySurvey::limited() const {
  std::map<std::int64_t, std::int64_t> found;
  for (const auto& [array, elements] : elements_) {
    const std::string element = std::to_string(array) + "_" + std::to_string(*elements.begin());
    if (limits_.element_text(element).find('%') != std::string::npos)
      found[array] = static_cast<std::int64_t>(elements.size());
  }
  return found;
}

}  // namespace coslice::slurm
