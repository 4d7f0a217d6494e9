#include "lab/campaign/database.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/error.h"

namespace coslice {
namespace {

constexpr int kPatience = 60'000;  // ms that another one's lock is waited for

int open_flags(Database::Mode mode) {
  switch (mode) {
    case Database::Mode::kRead: return SQLITE_OPEN_READONLY;
    case Database::Mode::kWrite: return SQLITE_OPEN_READWRITE;
    default: return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
}

/// A sweep that was killed may have left a journal, and the first reader must be able to take its last change back.
bool needs_repair(int code) { return (code & 0xff) == SQLITE_READONLY || (code & 0xff) == SQLITE_CANTOPEN; }

int look_inside(sqlite3* handle) {
  return sqlite3_exec(handle, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr);
}

std::string in_quotes(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) out += c == quote ? std::string(2, quote) : std::string(1, c);
  return out + quote;
}

}  // namespace

Database::Database(const std::string& path, Mode mode) : path_(path) {
  const auto open = [&](int flags) {
    int code = sqlite3_open_v2(path.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    if (handle_ != nullptr) sqlite3_extended_result_codes(handle_, 1);
    if (code == SQLITE_OK) code = sqlite3_busy_timeout(handle_, kPatience);
    return code == SQLITE_OK ? look_inside(handle_) : code;
  };
  int code = open(open_flags(mode));
  if (mode == Mode::kRead && needs_repair(code)) {
    sqlite3_close(handle_);
    code = open(SQLITE_OPEN_READWRITE);
  }
  if (code == SQLITE_OK) return;
  std::string problem = handle_ != nullptr ? sqlite3_errmsg(handle_) : "out of memory";
  if (handle_ != nullptr && (code & 0xff) == SQLITE_CANTOPEN) {
    const int cause = sqlite3_system_errno(handle_);
    if (cause != 0) problem = std::strerror(cause);
  }
  sqlite3_close(handle_);
  if ((code & 0xff) == SQLITE_NOTADB)
    throw InputError(
        {path, 0, "is not a results file", "a file of runs, as `coslice sweep` and `coslice tune` write them"});
  throw InputError({path, 0, "cannot be opened: " + problem});
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(int code) const {
  std::string cause = sqlite3_errmsg(handle_);
  if ((code & 0xff) == SQLITE_FULL) {
    cause = "the disk is full";
  } else if ((code & 0xff) == SQLITE_IOERR) {
    const int system = sqlite3_system_errno(handle_);
    if (system != 0) cause = system == ENOSPC ? "the disk is full" : std::strerror(system);
  }
  throw SimulationError(fmt::format("{}: {}", path_, cause));
}

void Database::run(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::optional<std::string> Database::text(const std::string& sql) const {
  Statement s(*this, sql);
  if (!s.step() || s.is_null(0)) return {};
  return s.text(0);
}

std::int64_t Database::integer(const std::string& sql) const {
  Statement s(*this, sql);
  return s.step() ? s.integer(0) : 0;
}

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
  const int code = sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &handle_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::bind(int position, std::string_view text) {
  const char* begin = text.data() != nullptr ? text.data() : "";  // a null pointer would bind NULL
  const int code = sqlite3_bind_text64(handle_, position, begin, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind(int position, std::int64_t number) {
  sqlite3_bind_int64(handle_, position, number);
  return *this;
}

Statement& Statement::bind(int position, double number) {
  sqlite3_bind_double(handle_, position, number);
  return *this;
}

Statement& Statement::bind_nothing(int position) {
  sqlite3_bind_null(handle_, position);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

void Statement::finish() {
  while (step()) {}
  sqlite3_reset(handle_);
}

int Statement::columns() const { return sqlite3_column_count(handle_); }
std::string Statement::column_name(int column) const { return sqlite3_column_name(handle_, column); }
bool Statement::is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }
bool Statement::is_real(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_FLOAT; }

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle_, column);
  if (text == nullptr) return "";
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }
double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }

Transaction::Transaction(Database& database) : database_(database) { database.run("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const std::exception&) {  // it is rolled back already where the disk was full
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

std::string sql_name(std::string_view name) { return in_quotes(name, '"'); }
std::string sql_text(std::string_view text) { return in_quotes(text, '\''); }

}  // namespace coslice
