// coslice merge: the parts of a campaign become one file.
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "core/error.h"
#include "lab/campaign/merge.h"
#include "report/markup.h"

namespace coslice::cli {
namespace {

struct MergeFlags {
  std::vector<std::string> parts;
  std::optional<std::string> out;
  bool partial = false;
};

int run_merge(const MergeFlags& flags) {
  if (!flags.out) throw InputError({"--out", 0, "is missing", "a file to write", "e.g. -o all.sqlite"});
  for (const std::string& part : flags.parts) require_file(part);
  require_absent(*flags.out);
  MergeOutcome outcome;
  write_new_file(*flags.out,
                 [&](const std::string& temporary) { outcome = merge_results(flags.parts, temporary, flags.partial); });
  print(fmt::format("{}: {}", *flags.out, counted(outcome.runs, "run")));
  if (outcome.runs < outcome.planned) print(fmt::format(" of {}", outcome.planned));
  print(outcome.failed == 0 ? "\n" : fmt::format(", {} failed\n", outcome.failed));
  return kDone;
}

}  // namespace

Command merge_command() {
  auto flags = std::make_shared<MergeFlags>();
  MergeFlags& f = *flags;
  Command c;
  c.summary = "join the results of the parts of a campaign";
  c.examples = {
      {"coslice merge -o depth.sqlite depth-*-of-8.sqlite", "what `coslice sweep --shard I/8` wrote"},
      {"coslice merge -o so-far.sqlite depth-*-of-8.sqlite --partial", "a look at what there is"},
  };
  c.text =
      "The parts must be of the same plan: the same campaign, and inputs that have not changed between them. Every run "
      "must be there, and once; otherwise the command says which part lacks what, and writes nothing.";
  c.arguments = {{"FILE", "Results of parts.", &f.parts, 1, std::size_t(-1), {Completion::kFiles, {"sqlite"}}}};
  c.options = {
      value("-o,--out", "FILE", f.out, "The file to write; it must not be there yet.",
            {Completion::kFiles, {"sqlite"}}),
      flag("--partial", f.partial, "Joins what there is, also if runs are missing."),
  };
  c.run = [flags] { return run_merge(*flags); };
  return c;
}

}  // namespace coslice::cli
