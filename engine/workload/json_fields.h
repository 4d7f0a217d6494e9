// Workloads of others in JSON: their fields, with errors that say where they stand, and lists of jobs read job by job.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace coslice {

/// Reads fields of an object. Throws InputError with the object's file and line (0: not known) where one is not what
/// it is to be.
class JsonFields {
 public:
  /// `whose` names the object in messages: "job 3". What is given must live as long as the fields do.
  JsonFields(const nlohmann::json& object, const std::string& file, int line, std::string whose)
      : object_(object), file_(file), line_(line), whose_(std::move(whose)) {}

  const std::string& whose() const { return whose_; }
  int line() const { return line_; }
  /// A number of at most 12 digits before the point; nothing if it is absent or null.
  std::optional<double> number(const char* name) const;
  /// A text; "" if it is absent or null.
  std::string text(const char* name) const;
  /// A list; null if it is absent or null.
  const nlohmann::json* list(const char* name) const;
  [[noreturn]] void fail(std::string problem, std::string expected) const;

 private:
  const nlohmann::json& object_;
  const std::string& file_;
  int line_;
  std::string whose_;
};

/// Calls `each` with every item of a list, in order, and the line on which it begins; only one item is held at a
/// time. The list is the text itself, or the member `list` of the object that the text is. `what` the text should be,
/// for messages: "a job log of Philly". Throws InputError: not JSON, no such list, an item that is no object.
void read_json_list(std::string_view text, const std::string& file, const std::string& list, const std::string& what,
                    const std::function<void(const nlohmann::json& object, int line)>& each);

/// Throws InputError for a text that could not be parsed, with the line of the error.
[[noreturn]] void fail_as_json(std::string_view text, const std::string& file, const std::string& what,
                               const nlohmann::json::parse_error& error);

}  // namespace coslice
