#include "api/policy/queue_keys.h"

namespace coslice {

QueueKeys::QueueKeys(Policy& policy, const JobTables& jobs, const LuaRef& view)
    : policy_(policy), key_(policy.state(), policy.hooks().dynamic_key.function, policy.params_table(),
                            CompiledFunction::Result::kNumber),
      fields_(policy.state(), jobs), shares_(policy, view), sign_(policy.options().descending ? -1.0 : 1.0) {}

bool QueueKeys::ready(View& view) {
  shares_.ask(view);
  if (!key_.ready()) return false;
  if (!follow(view, view.queue_as_it_is())) {
    key_.give_up();
    return false;
  }
  key_.columns().shares() = shares_.values();
  policy_.state().note_computed(policy_.hooks().dynamic_key.label);
  return true;
}

bool QueueKeys::set(View& view) {
  if (!ready(view)) return false;
  return key_.columns().compute(to_seconds(view.now()), sign_, view.queue_as_it_is().set_keys());
}

bool QueueKeys::begin(View& view, std::vector<double>& least, std::vector<std::uint8_t>& known) {
  static_assert(formula::Columns::kBlock == WaitingQueue::kBlock);
  if (!ready(view)) return false;
  return key_.columns().begin(to_seconds(view.now()), sign_, least, known, view.queue_as_it_is().set_keys());
}

/// Makes the rows those of the queue's positions. False if Lua must compute the keys.
bool QueueKeys::follow(const View& view, const WaitingQueue& queue) {
  formula::Columns& columns = key_.columns();
  fields_.want(key_.formula(), key_.version());
  columns.see(key_.outside());
  if (order_version_ != queue.order_version()) columns.clear();
  order_version_ = queue.order_version();
  if (columns.rows() == queue.end()) return true;
  const std::vector<double> ones(key_.formula().fields().size(), 1.0);
  for (WaitingQueue::Position p = columns.rows(); p != queue.end(); ++p) {
    const JobIndex j = queue.job(p);
    if (!queue.live(p)) {
      columns.append(ones.data(), 0);
      columns.drop(p);
    } else if (fields_.read(j)) {
      columns.append(fields_.of(j), shares_.owner(view, j));
    } else {
      return false;
    }
  }
  return true;
}

EntryKey::EntryKey(Policy& policy, const JobTables& jobs)
    : policy_(policy), key_(policy.state(), policy.hooks().key.function, policy.params_table(),
                            CompiledFunction::Result::kNumber, formula::Signature::kEntry),
      fields_(policy.state(), jobs) {}

std::optional<double> EntryKey::compute(JobIndex j) {
  if (!key_.ready()) return std::nullopt;
  fields_.want(key_.formula(), key_.version());
  fields_.forget(j);
  if (!key_.formula().lookups().empty() || !fields_.read(j)) {
    key_.give_up();
    return std::nullopt;
  }
  double key = 0;
  if (!key_.columns().compute_one(0, key_.outside(), fields_.of(j), {}, key)) return std::nullopt;
  policy_.state().note_computed(policy_.hooks().key.label);
  return key;
}

}  // namespace coslice
