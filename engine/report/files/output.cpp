#include "report/files/output.h"

namespace coslice {

Sink sink_to(std::string& out) {
  return [&out](std::string_view text) { out += text; };
}

void BlockWriter::flush() {
  if (!text_.empty()) sink_(text_);
  text_.clear();
}

Sink sink_into(OutputFile& file) {
  return [&file](std::string_view text) { file.write(text); };
}

void write_text_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.close();
}

}  // namespace coslice
