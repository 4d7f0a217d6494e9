#include "workload/json_fields.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {
namespace {

using JsonTree = nlohmann::json;

/// Goes over a text and counts its lines.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, int* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  int* line_;
};

}  // namespace

std::optional<double> JsonFields::number(const char* name) const {
  const auto at = object_.find(name);
  if (at == object_.end() || at->is_null()) return {};
  if (!at->is_number()) fail(fmt::format("{} of {} is not a number", name, whose_), "a number");
  const double value = at->get<double>();
  if (!(value >= -1e12 && value <= 1e12))
    fail(fmt::format("{} of {} is {}", name, whose_, value), "a number that makes sense");
  return value;
}

std::string JsonFields::text(const char* name) const {
  const auto at = object_.find(name);
  if (at == object_.end() || at->is_null()) return "";
  if (!at->is_string()) fail(fmt::format("{} of {} is not a text", name, whose_), "a text");
  return at->get<std::string>();
}

const JsonTree* JsonFields::list(const char* name) const {
  const auto at = object_.find(name);
  if (at == object_.end() || at->is_null()) return nullptr;
  if (!at->is_array()) fail(fmt::format("{} of {} is not a list", name, whose_), "a list");
  return &*at;
}

void JsonFields::fail(std::string problem, std::string expected) const {
  throw InputError({file_, line_, std::move(problem), std::move(expected), "", ""});
}

void fail_as_json(std::string_view text, const std::string& file, const std::string& what,
                  const JsonTree::parse_error& error) {
  const auto before = text.substr(0, std::min(error.byte, text.size()));
  throw InputError(
      {file, static_cast<int>(1 + std::count(before.begin(), before.end(), '\n')), "this is not JSON", what, "", ""});
}

void read_json_list(std::string_view text, const std::string& file, const std::string& list, const std::string& what,
                    const std::function<void(const JsonTree& object, int line)>& each) {
  using Event = JsonTree::parse_event_t;
  const int depth_of_list = list.empty() ? 0 : 1;
  int line = 1, begin = 0;
  bool inside = false, found = false;
  std::string member;
  const auto item = [&](const JsonTree& value, int at) {
    if (!value.is_object()) throw InputError({file, at, "an item of the list of jobs is not an object", what, "", ""});
    each(value, at);
  };
  const auto on_event = [&](int depth, Event event, JsonTree& parsed) {
    if (event == Event::key && depth == 1 && depth_of_list == 1) member = parsed.get<std::string>();
    if (event == Event::array_start && depth == depth_of_list && member == list) inside = found = true;
    if (event == Event::array_end && depth == depth_of_list) inside = false;
    if (!inside || depth != depth_of_list + 1) return true;
    if (event == Event::object_start) begin = line;
    if (event != Event::object_end && event != Event::value && event != Event::array_end) return true;
    item(parsed, event == Event::object_end ? begin : line);
    return false;  // it is not kept
  };
  try {
    [[maybe_unused]] const JsonTree kept = JsonTree::parse(
        CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line), on_event);
  } catch (const JsonTree::parse_error& e) {
    fail_as_json(text, file, what, e);
  } catch (const JsonTree::out_of_range&) {
    throw InputError({file, line, "a number is larger than any that can be read", what, "", ""});
  }
  if (found) return;
  throw InputError(
      {file, 0, list.empty() ? "this is not a list" : fmt::format("there is no list '{}'", list), what, "", ""});
}

}  // namespace coslice
