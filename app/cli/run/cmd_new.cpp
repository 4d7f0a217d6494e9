// coslice new: files to start from.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "api/policy/find_policy.h"
#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/editor_settings.h"
#include "cli/frame/output_file.h"
#include "core/error.h"
#include "host/embedded.h"

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

struct NewFlags {
  std::vector<std::string> kind, name;
};

const std::vector<std::string> kKinds = {"policy"};

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// Names end up in files, tables and flags, where a comma separates them.
void check_name(const std::string& name) {
  bool good = !name.empty() && is_letter_or_digit(name[0]);
  for (const char c : name) good = good && (is_letter_or_digit(c) || c == '_' || c == '-');
  if (good) return;
  throw InputError({"", 0, fmt::format("'{}' cannot be a policy's name", name),
                    "a letter or a digit, then letters, digits, '_' and '-'"});
}

std::string filled_in(const char* embedded, const std::string& name) {
  const EmbeddedFile* file = find_embedded(embedded);
  if (file == nullptr) throw std::logic_error(fmt::format("{} is not built in", embedded));
  std::string text(file->text);
  const std::string mark = "@NAME@";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
    text.replace(at, mark.size(), name);
  return text;
}

int write_policy(const std::string& given) {
  fs::path path(given);
  if (path.extension() == ".lua") path.replace_extension();
  const std::string name = path.filename().string();
  check_name(name);
  const std::string policy = path.string() + ".lua", test = path.string() + "_test.lua";
  require_absent(policy);
  require_absent(test);
  for (const PolicyEntry& known : list_policies()) {
    if (known.name != name) continue;
    throw InputError({policy, 0, fmt::format("there is a policy '{}' already: the new one would hide it here", name),
                      "another name"});
  }
  const EditorSettings editor = editor_settings(path.parent_path().string());
  std::vector<std::pair<std::string, std::string>> files = {{policy, filled_in("lib/templates/policy.lua", name)},
                                                            {test, filled_in("lib/templates/suite.lua", name)}};
  if (!editor.path.empty()) files.emplace_back(editor.path, editor.text);
  write_new_files(files);
  print(editor.path.empty() ? fmt::format("wrote {} and {}\n", policy, test)
                            : fmt::format("wrote {}, {} and {}\n", policy, test, editor.path));
  const std::string run = "coslice run TRACE.swf --policy " + (path.has_parent_path() ? policy : name);
  const std::string suite = "coslice test " + test;
  const std::size_t width = std::max(run.size(), suite.size());
  print(fmt::format("  {:<{}}   runs it\n  {:<{}}   tests it\n", run, width, suite, width));
  if (!editor.hint.empty()) print("  " + editor.hint + "\n");
  return kDone;
}

int start(const NewFlags& flags) {
  const std::string& kind = flags.kind.front();
  if (kind != "policy") {
    throw InputError(
        {"", 0, fmt::format("`coslice new` does not know '{}'", kind), "policy", did_you_mean(kind, kKinds)});
  }
  return write_policy(flags.name.front());
}

}  // namespace

Command new_command() {
  auto flags = std::make_shared<NewFlags>();
  NewFlags& f = *flags;
  Command c;
  c.summary = "write a policy to start from, with a test beside it";
  c.examples = {
      {"coslice new policy mine", "writes mine.lua, mine_test.lua and settings for an editor"},
      {"coslice run trace.swf.gz --policy mine", "which run at once"},
      {"coslice test mine_test.lua", ""},
  };
  c.text =
      "The template is commented and works as it is. Files that exist are never overwritten.\n\n"
      "Editors with the Lua language server complete inside it and show what each field means: `.luarc.json`, written "
      "beside it unless the folder or one above has such a file, says where the definitions are.";
  c.arguments = {{"policy", "What to write.", &f.kind, 1, 1, {Completion::kWords, kKinds}},
                 {"NAME", "The policy's name; with a path, where its files go.", &f.name, 1, 1}};
  c.run = [flags] { return start(*flags); };
  return c;
}

}  // namespace coslice::cli
