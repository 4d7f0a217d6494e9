#include "api/policy/start_rule.h"

#include "host/call.h"

namespace coslice {

StartRule::StartRule(Policy& policy, const JobTables& jobs, const LuaRef& view)
    : policy_(policy), jobs_(jobs), rule_(policy.state(), policy.hooks().may_start.function, policy.params_table(),
                                          CompiledFunction::Result::kBoolean),
      fields_(policy.state(), jobs) {
  rule_.see_view(view);
}

bool StartRule::look(const View& view, JobIndex j) {
  const double now = to_seconds(view.now());
  if (!fresh_) refresh(now);
  if (usable_ && know(j) && compute(now, kind_of_[j])) return kinds_[kind_of_[j]].may;
  return ask(now, j);
}

/// True also where Lua must be asked.
bool StartRule::look_at_kind(const View& view, std::uint32_t kind) {
  const double now = to_seconds(view.now());
  if (!fresh_) refresh(now);
  return !usable_ || kind >= kinds_.size() || !compute(now, kind) || kinds_[kind].may;
}

std::uint64_t StartRule::kinds_version(const View& view) {
  forget();
  if (!fresh_) refresh(to_seconds(view.now()));
  return usable_ ? kinds_version_ : 0;
}

void StartRule::forget_kinds() {
  kinds_.clear();
  answers_.clear();
  kind_by_fields_.clear();
  kind_of_.clear();
  ++kinds_version_;
}

std::uint64_t StartRule::answers(const View& view) {
  forget();
  if (!fresh_) refresh(to_seconds(view.now()));
  return usable_ && !reads_time_ ? turn_ : 0;
}

void StartRule::refresh(double now) {
  usable_ = rule_.ready();
  fresh_ = true;
  calls_ = policy_.state().calls();
  reads_time_ = !usable_ || rule_.formula().reads_time();
  if (!usable_) return forget_kinds();
  ++turn_;
  policy_.state().note_computed(policy_.hooks().may_start.label);
  fields_.want(rule_.formula(), rule_.version());
  if (version_ != rule_.version()) forget_kinds();
  if (version_ != rule_.version() || !formula::same_bits(outside_, rule_.outside()) || (now_ != now && reads_time_))
    changed_ = turn_;
  version_ = rule_.version();
  outside_ = rule_.outside();
  now_ = now;
}

/// Finds the kind of the job. False if its fields are not what formulas take them for.
bool StartRule::know(JobIndex j) {
  if (j < kind_of_.size() && kind_of_[j] != kNoKind) return true;
  if (!fields_.read(j)) {
    rule_.give_up();
    forget_kinds();
    return usable_ = false;
  }
  if (j >= kind_of_.size()) kind_of_.resize(j + std::size_t{1}, kNoKind);
  kind_of_[j] = kind_with(fields_.of(j));
  return true;
}

std::uint32_t StartRule::kind_with(const double* fields) {
  const formula::Formula& formula = rule_.formula();
  std::vector<double> key(fields, fields + formula.fields().size());
  const auto [at, is_new] = kind_by_fields_.try_emplace(std::move(key), static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) {
    Kind kind;
    kind.fields = at->first;
    for (std::size_t l = 0; l != formula.lookups().size(); ++l)
      kind.slots.push_back(rule_.lookups().slot(l, static_cast<std::int64_t>(kind.fields[formula.lookups()[l].field])));
    kinds_.push_back(std::move(kind));
    answers_.push_back(0);
  }
  return at->second;
}

/// False if Lua must be asked.
bool StartRule::compute(double now, std::uint32_t number) {
  Kind& kind = kinds_[number];
  bool same = kind.computed != 0 && kind.computed >= changed_;
  found_.resize(kind.slots.size());
  for (std::size_t l = 0; l != kind.slots.size(); ++l) {
    const formula::Lookups::Slot& slot = rule_.lookups().at(l, kind.slots[l]);
    if (!slot.usable) return false;
    same = same && slot.changed <= kind.looked;
    found_[l] = {slot.value, slot.present};
  }
  answers_[number] = 2 * turn_ + (kind.may ? 1 : 0);
  if (same) return true;
  double result = 0;
  kind.computed = 0;
  answers_[number] = 0;
  if (!rule_.columns().compute_one(now, rule_.outside(), kind.fields.data(), found_, result)) return false;
  kind.may = result != 0;
  kind.computed = turn_;
  answers_[number] = 2 * turn_ + (kind.may ? 1 : 0);
  kind.looked = rule_.lookups().turn();
  return true;
}

bool StartRule::ask(double now, JobIndex j) {
  const Hook& hook = policy_.hooks().may_start;
  jobs_.make(j);
  Call call(policy_.state(), hook.function, hook.label);
  jobs_.push(call.raw(), j);
  call.pushed();
  call.push(now).push(policy_.params_table()).invoke(1);
  fresh_ = false;
  return call.boolean(1);
}

}  // namespace coslice
