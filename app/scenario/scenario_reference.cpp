// The scenario reference, made from the list of keys. The text before it is the part that no list can say.

#include "machine/request_spec.h"
#include "scenario/key_tables.h"

namespace coslice {
namespace {

const char* const kIntroduction = R"(# Scenario reference

A scenario is a TOML file: the machine, the jobs, the policies, what is measured and written. This is one:

```toml
name = "busy week"
seed = 42

[machine]
nodes = 128

[workload]
generator = "lublin"
lublin = { jobs = 2000, load = 0.85 }

[policy]
name = ["fcfs", "easy"]
```

Every key is checked, also those that come from the command line: an unknown key, a wrong type or a value out of range
is an error with file, line and what was expected. Keys that are left out have the defaults below.

## Base files

`extends = "base.toml"` starts from another file, which may extend a third. Tables merge key by key, the nearer file
wins; lists and single values are replaced. A file that names another source of jobs (`trace`, `generator`, `script`,
`jobs`) drops the source of its base together with that source's own table. `output.dir` is not taken over: two
scenarios would write their results to the same place.

```toml
extends = "base.toml"
name = "the same on a larger machine"

[machine]
nodes = 256
```

## Overrides

`--set table.key=value` reaches every key, e.g. `--set machine.nodes=64` or `--set policy.params.depth=5`. The value is
read as TOML; what is not TOML is taken as a text, so that `--set engine.at_limit=extend` needs no quotes within quotes.
A whole table that is set to `false` or `{}` is left out: `--set power=false`. Overrides are applied to the file in
their order and are checked like it.

## Paths

A relative path starts in the folder of the file that has it; in `--set`, in the current folder. A policy may
also be named without a path: it is looked for as a path, in the scenario's folder, in the current folder, in
`$COSLICE_PATH`, among the installed policies and among those built in.

## Jobs in the scenario

Small workloads can be written down:

```toml
[machine]
nodes = 4

[workload]
jobs = [
  { submit = 0, nodes = 4, runtime = 100 },
  { submit = 10, nodes = 1, runtime = 50, limit = 80, user = 2 },
]
```

## The resolved scenario

A run folder holds `scenario.toml`: the whole scenario with base files, overrides and defaults resolved, paths relative
to that folder, and the SHA-256 of every input. Run it to get the same results again. An input that has changed since
is an error; without its line under `[inputs]` it is used as it is.
)";

std::string default_of(const Key<Scenario>& key) {
  static const Scenario plain;
  const auto v = key.codec.write(plain);
  return v ? "`" + toml_text(*v) + "`" : "";
}

/// Bars would end a table's cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string row(const Key<Scenario>& k) {
  return "| `" + leaf_of(k.name) + "` | " + cell(k.codec.type) + " | " + cell(default_of(k)) + " | " + cell(k.doc) +
         " |\n";
}

std::string section(const KeyTable& t) {
  std::string out = t.path.empty() ? "\n## Before the first table\n" : "\n## [" + t.path + "]\n";
  out += "\n" + t.doc + (t.condition.empty() ? "" : " Only with `" + t.condition + "`.") + "\n";
  std::string rows, lists;
  if (t.path.empty()) rows += "| `extends` | a path in quotes |  | The file that this one starts from. |\n";
  for (const Key<Scenario>& k : scenario_keys()) {
    if (k.codec.is_table || table_of(k.name) != t.path) continue;
    rows += row(k);
    if (!k.codec.columns.empty()) lists += "\nKeys of each table in `" + leaf_of(k.name) + "`:\n\n" + k.codec.columns;
  }
  if (t.path == "workload") {
    lists +=
        "\nKeys of the table `request` of a job, and of each of its `components`, of amounts for each of its nodes. "
        "Without these a job has whole nodes for itself:\n\n" +
        describe_record(request_keys());
  }
  if (!rows.empty()) out += "\n| key | value | default | |\n| --- | --- | --- | --- |\n" + rows;
  return out + lists;
}

}  // namespace

std::string scenario_reference_markdown() {
  std::string out = kIntroduction;
  for (const KeyTable& t : scenario_tables()) out += section(t);
  return out;
}

}  // namespace coslice
