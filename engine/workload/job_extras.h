// What few jobs have, beside the jobs: each combination once.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "workload/job.h"

namespace coslice {

struct Attribute;

/// Copies share what they hold; jobs that point into it may be copied along. A copy that is written to keeps the others
/// as they are.
class JobExtrasStore {
 public:
  /// Gives the job that text; "" takes it away. Precondition: a.is_text().
  void set(Job& job, const Attribute& a, std::string text);
  /// Gives the job that number or time, as JobExtras has it.
  template <class T>
  void set(Job& job, T JobExtras::*member, std::type_identity_t<T> value) {
    if (job.extras->*member == value) return;
    JobExtras all = *job.extras;
    all.*member = value;
    set(job, std::move(all));
  }
  /// Moves the instants that it has; none to before the trace's second 0.
  void move_instants(Job& job, Duration by);
  /// Gives the job these in place of what it has.
  void set(Job& job, JobExtras extras);

 private:
  struct Rows {
    std::shared_ptr<const Rows> older;  ///< still pointed to
    std::set<JobExtras> extras;
  };
  std::shared_ptr<Rows> rows_;
};

/// In SWF, texts and times that no field has stand behind a record: "; name=text name=text", with blanks, '%', ';' and control characters as %20.
void append_texts(std::string& out, const Job& job);
/// Reads what append_texts wrote, without its ';'. Names that are no attributes are left out.
void read_texts(std::string_view remark, Job& job, JobExtrasStore& store);

}  // namespace coslice
