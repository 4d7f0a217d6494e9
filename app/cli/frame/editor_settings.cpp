#include "cli/frame/editor_settings.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/scripts/program_folders.h"
#include "host/embedded.h"

namespace coslice::cli {
namespace {

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

}  // namespace

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

}  // namespace coslice::cli
