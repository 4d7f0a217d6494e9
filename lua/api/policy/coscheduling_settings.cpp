#include "api/policy/coscheduling_settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/scripts/script_errors.h"
#include "api/scripts/table_value.h"
#include "core/error.h"

namespace coslice {
namespace {

constexpr std::size_t kMost = 64;  // classes, modes, rows of the matrix

using Names = std::vector<std::string>;

/// A mode that is being read.
struct ModeSpec {
  SlotMode mode;
  const Names* classes;
  Names gaps{};
};

#define MODE(member) COSLICE_FIELD(ModeSpec, member)
#define SETTING(member) COSLICE_FIELD(CoschedulingSettings, member)

ClassId class_number(const Value& v, const std::string& path, const Names& classes, const std::string& name) {
  const auto it = std::ranges::find(classes, name);
  if (it == classes.end())
    fail_at(v.place, fmt::format("{} names a class '{}', which does not exist", path, name), "one of 'classes'",
            did_you_mean(name, classes));
  return static_cast<ClassId>(it - classes.begin());
}

/// priority = { "A", { "B", "C" } }: A first, then B and C as equals; classes that are not named may not run.
Codec<ModeSpec> priority() {
  const std::string words = "{ \"first\", { \"then\", \"these\" } }";
  return {words,
          [words](ModeSpec& s, const Value& v, const std::string& path) {
            if (v.list() == nullptr) codec::wrong(v, path, words);
            s.mode.priority.assign(s.classes->size(), -1);
            for (std::size_t i = 0; i != v.list()->size(); ++i) {
              const Value& item = (*v.list())[i];
              for (const Value& one : item.list() != nullptr ? *item.list() : Value::List{item}) {
                const std::string& name = codec::read_text(one, path, words);
                int& place = s.mode.priority[class_number(v, path, *s.classes, name)];
                if (place >= 0) fail_at(v.place, fmt::format("{} names '{}' twice", path, name));
                place = static_cast<int>(i) + 1;
              }
            }
          },
          {}};
}

const std::vector<Key<ModeSpec>>& mode_keys() {
  using M = ModeSpec;
  static const std::vector<Key<M>> keys = {
      {"run",
       {"\"own\" or \"all\"",
        [](M& s, const Value& v, const std::string& p) {
          s.mode.exclusive = codec::read_choice(v, p, "\"own\" or \"all\"", {"own", "all"}) == 0;
        },
        {}},
       ""},
      {"spin", codec::seconds<M>(MODE(mode.spin)), ""},
      {"switch", codec::seconds<M>(MODE(mode.switch_cost)), ""},
      {"quantum", codec::seconds<M>(MODE(mode.quantum), {1e-6, kMaxSeconds}), ""},
      {"dispatch", codec::seconds<M>(MODE(mode.dispatch_cost)), ""},
      {"priority", priority(), ""},
      {"gaps", codec::texts<M>(MODE(gaps)), ""},
      {"gaps_yield", codec::flag<M>(MODE(mode.gaps_yield)), ""},
      {"own_first", codec::flag<M>(MODE(mode.own_first)), ""},
      {"own_preempts", codec::flag<M>(MODE(mode.own_preempts)), ""},
  };
  return keys;
}

SlotMode read_mode(const Value& v, const std::string& path, const std::string& name, const Names& classes) {
  ModeSpec s{{}, &classes};
  s.mode.name = name;
  read_record(mode_keys(), s, v, path);
  const auto idle = [&](const char* field, const char* where, const char* instead) {
    if (const Value* member = v.find(field))
      fail_at(member->place, fmt::format("{} has no effect where {}", joined(path, field), where), instead);
  };
  for (const char* field : {"quantum", "dispatch", "priority", "gaps", "gaps_yield", "own_first", "own_preempts"})
    if (s.mode.exclusive) idle(field, "only the slot's own process runs", "run = \"all\"");
  if (!s.mode.exclusive) idle("switch", "all processes run", "dispatch, or run = \"own\"");
  if (s.gaps.empty() && s.mode.gaps_yield) idle("gaps_yield", "no class fills gaps", "gaps");
  if (s.mode.own_preempts && !s.mode.own_first)
    idle("own_preempts", "the slot's own process does not go first", "own_first = true");
  if (s.gaps.empty()) return s.mode;
  if (s.mode.priority.empty()) s.mode.priority.assign(classes.size(), 0);
  s.mode.fills_gaps.assign(classes.size(), false);
  for (const std::string& gap : s.gaps) {
    const ClassId c = class_number(*v.find("gaps"), joined(path, "gaps"), classes, gap);
    s.mode.fills_gaps[c] = true;
    s.mode.priority[c] = 0;
  }
  return s.mode;
}

/// In alphabetical order: Lua keeps no other. Keys are read in that order, too: classes come before modes.
Codec<CoschedulingSettings> modes() {
  const std::string words = "{ name = { run = \"own\" }, ... }";
  return {words,
          [words](CoschedulingSettings& s, const Value& v, const std::string& path) {
            if (!v.is_table()) codec::wrong(v, path, words);
            if (const std::size_t n = v.members()->size(); n == 0 || n > kMost)
              fail_at(v.place, fmt::format("coscheduling: there are {} modes", n), fmt::format("1 to {}", kMost));
            s.rules.modes.clear();
            for (const Member& m : *v.members())
              s.rules.modes.push_back(read_mode(m.value, joined(path, m.key), m.key, s.rules.classes));
          },
          {}};
}

const std::vector<Key<CoschedulingSettings>>& coscheduling_keys() {
  using S = CoschedulingSettings;
  static const std::vector<Key<S>> keys = {
      {"multiprogramming", codec::integer<S>(SETTING(rules.multiprogramming), 1, std::int64_t{kMost}), ""},
      {"slice", codec::seconds<S>(SETTING(rules.slice), {1e-6, kMaxSeconds}), ""},
      {"packing", codec::choice<S>(SETTING(packing), {"lowest", "buddy"}), ""},
      {"classes", codec::texts<S>(SETTING(rules.classes)), ""},
      {"modes", modes(), "", true},
  };
  return keys;
}

}  // namespace

CoschedulingSettings read_coscheduling(const FieldReader& policy, const std::string& name) {
  const FieldReader f = policy.inner(-1, "coscheduling");
  CoschedulingSettings s;
  CoschedulingRules& rules = s.rules;
  read_fields(coscheduling_keys(), s, f, {"slot", "classify"});
  if (rules.classes.size() > kMost) f.fail("classes", "coscheduling: there are too many 'classes'", "at most 64");
  s.slot = read_hook(f, "slot", fmt::format("of the coscheduling of policy '{}'", name));
  s.classify = read_hook(f, "classify", fmt::format("of the coscheduling of policy '{}'", name));
  rules.classifies = static_cast<bool>(s.classify);
  if (!s.slot && rules.modes.size() > 1)
    f.fail("modes", "coscheduling: there are several modes and no function 'slot' that chooses",
           "slot = function(next, params) return \"name\" end");
  if (s.slot && rules.modes.size() == 1)
    f.fail("slot", "coscheduling: 'slot' has nothing to choose from: there is one mode");
  if (s.classify && rules.slice == Duration{0})
    f.fail("classify", "coscheduling: 'classify' is asked at the end of slots, and there are none", "slice = 0.1");
  if (f.has("classes") && !s.classify) f.fail("classes", "coscheduling: there are classes and no function 'classify'");
  return s;
}

}  // namespace coslice
