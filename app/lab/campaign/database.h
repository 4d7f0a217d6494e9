// SQLite behind a small fence: connections and statements that clean up, errors that name the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace coslice {

/// One connection to one file. It keeps a rollback journal: beside the file there is nothing once a transaction is
/// over, so that it can be copied, and it works where memory cannot be shared (NFS).
/// What goes wrong is a SimulationError that names the file and the cause, e.g. a full disk; a file that cannot be
/// opened or is no database is an InputError.
class Database {
 public:
  /// kCreate makes the file if there is none.
  enum class Mode { kRead, kWrite, kCreate };

  Database(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }
  /// Runs statements without results.
  void run(const std::string& sql);
  /// Returns the first column of the first row, if there is one that is not null.
  std::optional<std::string> text(const std::string& sql) const;
  std::int64_t integer(const std::string& sql) const;

 private:
  friend class Statement;
  [[noreturn]] void fail(int code) const;

  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement. Positions of parameters start at 1, columns at 0.
class Statement {
 public:
  /// `database` outlives it.
  Statement(const Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int position, std::string_view text);
  Statement& bind(int position, const char* text) { return bind(position, std::string_view(text)); }
  Statement& bind(int position, std::int64_t number);
  Statement& bind(int position, double number);
  Statement& bind_nothing(int position);

  /// Returns whether there is a (next) row.
  bool step();
  /// Runs it to its end and makes it ready for other parameters.
  void finish();

  int columns() const;
  std::string column_name(int column) const;
  bool is_null(int column) const;
  bool is_real(int column) const;
  std::string text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;

 private:
  const Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// Everything since it was made happens with commit(), or not at all.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

/// Returns the name as SQL writes it, in double quotes.
std::string sql_name(std::string_view name);
/// Returns the text as SQL writes it, in single quotes.
std::string sql_text(std::string_view text);

}  // namespace coslice
