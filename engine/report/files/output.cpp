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

void append_real(std::string& out, double x) {
  // Whole numbers are common (a job that did not wait has stretch 1) and ten times cheaper as integers.
  const bool fits = x > -1e15 && x < 1e15;
  if (fits && static_cast<double>(static_cast<std::int64_t>(x)) == x) {
    append_integer(out, static_cast<std::int64_t>(x));
    return;
  }
  char digits[400];  // the largest double has 309 digits before the point
  const char* const end = std::to_chars(digits, digits + sizeof digits, x, std::chars_format::fixed).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

}  // namespace coslice
