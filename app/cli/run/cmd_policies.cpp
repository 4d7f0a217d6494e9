// coslice policies: which there are, and what one of them takes.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "api/policy/find_policy.h"
#include "api/policy/policy.h"
#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

using Json = nlohmann::ordered_json;

struct PoliciesFlags {
  std::vector<std::string> name;
  bool json = false;
};

PolicyDescription describe(const FoundPolicy& found) {
  PolicyContext context;
  context.roots = found.roots;
  context.print = [](std::string_view) {};
  return Policy(found.script, Value::table(), context).description();
}

std::string place_of(const std::string& path) { return path.empty() ? "built in" : path; }

/// Up to the first full stop that ends a sentence: not one in brackets, "(Tang et al. 2009)".
std::string first_sentence(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 0 && text[i] == '.' && text[i + 1] == ' ') return text.substr(0, i + 1);
  }
  return text;
}

Json of(const Value& v) {
  if (const bool* b = v.flag()) return *b;
  if (const std::int64_t* i = v.integer()) return *i;
  if (const double* d = v.real()) return *d;
  return v.text() ? Json(*v.text()) : Json();
}

Json of(const ParamSpec& p) {
  Json out = {{"name", p.name}, {"default", of(p.fallback)}, {"expected", p.expected()}};
  if (p.min) out["min"] = *p.min;
  if (p.max) out["max"] = *p.max;
  if (!p.choices.empty()) out["choices"] = p.choices;
  if (!p.doc.empty()) out["doc"] = p.doc;
  return out;
}

Json of(const PolicyDescription& d, const std::string& path) {
  Json params = Json::array();
  for (const ParamSpec& p : d.params) params.push_back(of(p));
  Json out = {{"name", d.name}, {"version", d.version}, {"description", d.description}};
  out["path"] = path.empty() ? Json() : Json(path);
  out["params"] = params;
  out["hooks"] = d.hooks;
  out["settings"] = d.settings;
  return out;
}

void print_json(const Json& document) { print(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"); }

/// A policy that does not load is listed with its error.
struct Listed {
  PolicyEntry entry;
  std::optional<PolicyDescription> description;
  std::string error;
};

std::vector<Listed> load_all() {
  std::vector<Listed> all;
  for (const PolicyEntry& entry : list_policies()) {
    all.push_back({entry, {}, ""});
    try {
      all.back().description = describe(find_policy(entry.path.empty() ? entry.name : entry.path));
    } catch (const InputError& e) {
      all.back().error = e.what();
    }
  }
  return all;
}

std::string line_of(const Listed& p, std::size_t left) {
  const bool colour = wants_colour(stdout);
  const std::size_t width = text_width(stdout), indent = left + 4;
  const std::string text = p.description ? first_sentence(p.description->description) : "does not load: " + p.error;
  std::string out =
      "  " + paint(pad_right(p.entry.name, left), Tone::kBold, colour) + "  " + wrapped(text, width, indent) + "\n";
  if (!p.entry.path.empty()) out += std::string(indent, ' ') + paint(p.entry.path, Tone::kDim, colour) + "\n";
  return out;
}

int list(bool json) {
  const std::vector<Listed> all = load_all();
  Json documents = Json::array();
  std::size_t left = 0;
  for (const Listed& p : all) {
    left = std::max(left, display_width(p.entry.name));
    if (p.description) documents.push_back(of(*p.description, p.entry.path));
    else documents.push_back({{"name", p.entry.name}, {"path", p.entry.path}, {"error", p.error}});
  }
  if (json) {
    print_json(documents);
    return kDone;
  }
  for (const Listed& p : all) print(line_of(p, left));
  print("\n" +
        wrapped("Those without a path are built in. `coslice policies NAME` shows what one takes; `coslice new "
                "policy NAME` begins one of your own.",
                text_width(stdout)) +
        "\n");
  return kDone;
}

std::string params_text(const PolicyDescription& d) {
  if (d.params.empty()) return "No parameters.\n";
  Table table({{"parameter", false}, {"default", false}, {"takes", false}});
  std::string docs;
  for (const ParamSpec& p : d.params) {
    table.add_row({p.name, toml_text(p.fallback), p.expected()});
    if (!p.doc.empty()) docs += "  " + wrapped(p.name + ": " + p.doc, text_width(stdout), 4) + "\n";
  }
  return rendered(table) + docs +
         fmt::format("Set them by --set policy.params.{}=VALUE or under [policy.params].\n", d.params.front().name);
}

int show(const std::string& name, bool json) {
  const FoundPolicy found = find_policy(name);
  const PolicyDescription d = describe(found);
  if (json) {
    print_json(of(d, found.path));
    return kDone;
  }
  print(fmt::format("{}  version {}, {}\n", paint(d.name, Tone::kBold, wants_colour(stdout)), d.version,
                    place_of(found.path)));
  if (!d.description.empty()) print(wrapped(d.description, text_width(stdout)) + "\n");
  print("\n" + params_text(d) + "\n");
  print(fmt::format("Settings: {}\n",
                    d.settings.empty() ? "the defaults" : fmt::format("{}", fmt::join(d.settings, ", "))));
  print(fmt::format("Hooks: {}\n",
                    d.hooks.empty() ? "none, it is all data" : fmt::format("{}", fmt::join(d.hooks, ", "))));
  return kDone;
}

}  // namespace

Command policies_command() {
  auto flags = std::make_shared<PoliciesFlags>();
  PoliciesFlags& f = *flags;
  Command c;
  c.summary = "list policies, or show what one does and its parameters";
  c.examples = {
      {"coslice policies", "all that are found by name"},
      {"coslice policies easy", "its description, parameters, defaults, ranges, hooks"},
      {"coslice policies mine.lua", "the same of a file"},
      {"coslice policies --json", "all of that of all of them"},
  };
  c.text =
      "A policy named in a scenario or by --policy is looked for as a path, in the scenario's folder, the current "
      "folder, the folders in COSLICE_PATH (separated by colons), the installed ones, and among those built in. The "
      "list shows those in folders named `policies` and those built in.";
  c.arguments = {{"NAME", "A policy's name or file.", &f.name, 0, 1, {Completion::kPolicies}}};
  c.options = {flag("--json", f.json, "Prints everything as JSON.")};
  c.run = [flags] { return flags->name.empty() ? list(flags->json) : show(flags->name.front(), flags->json); };
  return c;
}

}  // namespace coslice::cli
