// coslice new: files to start from.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/policy/find_policy.h"
#include "api/scripts/install_folders.h"
#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/output_file.h"
#include "core/error.h"
#include "host/embedded.h"

namespace coslice::cli {
namespace {

/// What a folder of policies still needs.
struct EditorSettings {
  std::string path;  ///< the file to write; "" if there is nothing to write
  std::string text;
  std::string hint;  ///< what to do by hand instead: a line for people, or ""
};

namespace fs = std::filesystem;

constexpr const char* kFile = ".luarc.json";
constexpr std::string_view kTemplate = "lib/templates/luarc.json";
constexpr std::string_view kMark = "\"@DEFINITIONS@\"";

/// The settings that an editor which opened a folder above `folder`, or the folder itself, would use; "" if none.
fs::path settings_above(const std::string& folder) {
  std::error_code ignored;
  const fs::path start = fs::absolute(folder.empty() ? "." : folder, ignored).lexically_normal();
  for (fs::path at = start; !at.empty(); at = at.parent_path()) {
    if (fs::exists(fs::symlink_status(at / kFile, ignored))) return at / kFile;
    if (!at.has_relative_path()) break;
  }
  return {};
}

/// Whether they name definitions of coslice, of this installation or of another one.
bool names_definitions(const fs::path& settings) {
  std::ifstream in(settings, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.find("lua/meta") != std::string::npos;
}

std::string quoted(const fs::path& path) {
  return nlohmann::json(path.string()).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Returns settings for files in `folder` ("" is the current one). A file of that name in the folder or above it is
/// never touched; if it does not name our definitions, the hint says what to add to it.
EditorSettings editor_settings(const std::string& folder) {
  const fs::path definitions = definitions_folder();
  if (definitions.empty()) return {};
  if (const fs::path there = settings_above(folder); !there.empty()) {
    if (names_definitions(there)) return {};
    return {"", "",
            fmt::format("for completion in an editor: add {} to \"workspace.library\" in {}", quoted(definitions),
                        there.string())};
  }
  const EmbeddedFile* file = find_embedded(kTemplate);
  if (file == nullptr) throw std::logic_error(fmt::format("{} is not built in", kTemplate));
  std::string text(file->text);
  text.replace(text.find(kMark), kMark.size(), quoted(definitions));
  return {(fs::path(folder) / kFile).string(), text, ""};
}

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
    throw InputError({"", 0, fmt::format("'{}' is not a kind of file that `coslice new` writes", kind), "policy",
                      did_you_mean(kind, kKinds)});
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
