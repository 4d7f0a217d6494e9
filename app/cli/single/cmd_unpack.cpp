// coslice unpack: the program that is one file writes what is installed beside others.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "core/error.h"
#include "output/new_file.h"

// A tar archive, compressed by gzip (cmake/EmbedTree.cmake).
extern "C" {
extern const unsigned char coslice_tree[];
extern const unsigned char coslice_tree_end[];
}

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

struct PackedFile {
  std::string name;  ///< "docs/tutorial.md"
  std::string text;
  bool is_program = false;
};

/// Returns the bytes of the archive.
std::string expanded() {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  stream.next_in = const_cast<Bytef*>(coslice_tree);
  stream.avail_in = static_cast<uInt>(coslice_tree_end - coslice_tree);
  std::string out;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t had = out.size();
    out.resize(had + (std::size_t{1} << 20));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + had);
    stream.avail_out = static_cast<uInt>(out.size() - had);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::logic_error("what is built into the program cannot be read");
  return out;
}

std::size_t octal(std::string_view digits) {
  std::size_t n = 0;
  for (const char c : digits)
    if (c >= '0' && c <= '7') n = n * 8 + static_cast<std::size_t>(c - '0');
  return n;
}

/// Returns the files of the archive, sorted by name.
std::vector<PackedFile> packed_files() {
  constexpr std::size_t kBlock = 512;
  const std::string tar = expanded();
  std::vector<PackedFile> files;
  std::string long_name;
  for (std::size_t at = 0; at + kBlock <= tar.size() && tar[at] != '\0';) {
    const std::string_view head(tar.data() + at, kBlock);
    const std::size_t size = octal(head.substr(124, 12));
    const std::string_view content = std::string_view(tar).substr(at + kBlock, size);
    const char type = head[156];
    if (type == 'L') {  // the name of the next one, which is long
      long_name = content.substr(0, content.find('\0'));
    } else if (type == '0' || type == '\0') {
      const std::string_view name = head.substr(0, 100);
      files.push_back({long_name.empty() ? std::string(name.substr(0, name.find('\0'))) : long_name,
                       std::string(content), (octal(head.substr(100, 8)) & 0100U) != 0});
      long_name.clear();
    }
    at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
  }
  return files;
}

struct UnpackFlags {
  std::vector<std::string> folder;
  bool list = false;
};

int unpack(const UnpackFlags& flags) {
  const std::vector<PackedFile> files = packed_files();
  if (flags.list) {
    for (const PackedFile& f : files) print(f.name + "\n");
    return kDone;
  }
  if (flags.folder.empty())
    throw InputError({"", 0, "no folder is named", "where the files go, or --list", "coslice unpack coslice-files"});
  const fs::path folder = flags.folder.front();
  std::error_code ignored;
  for (const PackedFile& f : files)
    if (fs::exists(fs::symlink_status(folder / f.name, ignored)))
      throw InputError({(folder / f.name).string(), 0, "is there already", "a folder without these files"});
  for (const PackedFile& f : files) {
    const fs::path path = folder / f.name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) throw InputError({path.parent_path().string(), 0, "cannot be made: " + error.message()});
    write_new_file(path.string(), f.text);
    if (f.is_program)
      fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                      fs::perm_options::add, ignored);
  }
  print(fmt::format("wrote {} files below {}\n  {:<40} runs a scenario\n  {:<40} is where the documents begin\n",
                    files.size(), folder.string(),
                    "coslice run " + (folder / "scenarios" / "quickstart.toml").lexically_normal().string(),
                    (folder / "docs" / "README.md").lexically_normal().string()));
  return kDone;
}

}  // namespace

Command unpack_command();  // see frame/all_commands.cpp

Command unpack_command() {
  auto flags = std::make_shared<UnpackFlags>();
  UnpackFlags& f = *flags;
  Command c;
  c.summary = "write scenarios, policies, documents and examples into a folder";
  c.examples = {
      {"coslice unpack .", "scenarios/, policies/, docs/, examples/ here"},
      {"coslice unpack --list", "only their names"},
  };
  c.text =
      "This program is one file, with all that comes with it inside. Policies are found by name without being "
      "written; scenarios, papers and documents are read from files. Files that exist are never overwritten. Where the "
      "program is PREFIX/bin/coslice, it finds what is in PREFIX/share/coslice from every folder.";
  c.arguments = {{"FOLDER", "Where they go.", &f.folder, 0, 1, {Completion::kFolders}}};
  c.options = {flag("--list", f.list, "Prints the names of the files, and writes nothing.")};
  c.run = [flags] { return unpack(*flags); };
  return c;
}

}  // namespace coslice::cli
