#include "report/output.h"

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace coslice {

Sink sink_to(std::string& out) {
  return [&out](std::string_view text) { out += text; };
}

void BlockWriter::flush() {
  if (!text_.empty()) sink_(text_);
  text_.clear();
}

OutputFile::OutputFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) {
    throw InputError({path, 0, std::string("cannot be created: ") + std::strerror(errno), "", "", ""});
  }
  std::setvbuf(file_, nullptr, _IONBF, 0);  // blocks come buffered already
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail_to_write();
}

void OutputFile::close() {
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail_to_write();
}

Sink OutputFile::sink() {
  return [this](std::string_view text) { write(text); };
}

void OutputFile::fail_to_write() const {
  throw SimulationError(path_ + ": cannot be written: " + std::strerror(errno));
}

void write_text_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.close();
}

}  // namespace coslice
