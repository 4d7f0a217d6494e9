// What few traces say of jobs in words, beside the jobs: each combination of texts once.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workload/job.h"

namespace coslice {

struct Attribute;

/// Copies share what they hold; jobs that point into it may be copied along. A copy that is written to keeps the others
/// as they are.
class JobTexts {
 public:
  /// Gives the job that text; "" takes it away. Precondition: a.is_text().
  void set(Job& job, const Attribute& a, std::string text);

 private:
  struct Rows {
    std::shared_ptr<const Rows> older;         ///< still pointed to
    std::set<std::vector<std::string>> texts;  ///< by attribute
  };
  std::shared_ptr<Rows> rows_;
};

/// In SWF, texts stand behind a record: "; name=text name=text", with blanks, '%', ';' and control characters as %20.
void append_texts(std::string& out, const Job& job);
/// Reads what append_texts wrote, without its ';'. Names that are no attributes are left out.
void read_texts(std::string_view remark, Job& job, JobTexts& texts);

}  // namespace coslice
