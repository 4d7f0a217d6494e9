#include "host/embedded.h"

namespace coslice {

const EmbeddedFile* find_embedded(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

}  // namespace coslice
