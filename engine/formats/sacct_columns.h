// What may stand in the columns of a dump of sacct, and how the fields of a row are given to them where free texts have
// the delimiter or line ends in them. sacct writes both as they are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coslice {

/// The letters that names of columns are made of.
inline constexpr std::string_view kSacctLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns what stands between two columns of a header: '|', or what sacct was told by --delimiter.
std::string_view sacct_delimiter(std::string_view header);

/// Returns the parts between delimiters, without a carriage return at the end.
std::vector<std::string_view> sacct_fields(std::string_view line, std::string_view delimiter);

/// Returns the text as a field of a dump that this program writes: a delimiter or line end in it, and a backslash
/// before "u00", become "\u007c" and the like, so that a row is a line and a field stands between two delimiters.
std::string escaped_sacct_field(std::string_view text, std::string_view delimiter);
/// Returns the text that was escaped; any other one as it is.
std::string plain_sacct_field(std::string_view field, std::string_view delimiter);
/// Returns the fields of a line in which some stand in quotes, as tools for tables write them ("a,b","say ""x"""),
/// without these; nothing if a quote is not where a field begins or ends.
std::optional<std::vector<std::string>> quoted_sacct_fields(std::string_view line, std::string_view delimiter);
/// Returns whether a row may have escaped fields.
inline bool may_be_escaped(std::string_view row) { return row.find("\\u00") != row.npos; }

/// The columns of a dump.
class SacctColumns {
 public:
  /// Whether a name (of a user, an account, ...) was seen in that column of another row.
  using Seen = std::function<bool(std::size_t column, std::string_view name)>;

  SacctColumns() = default;
  SacctColumns(std::vector<std::string> names, std::string delimiter);

  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return names_.size(); }
  const std::string& delimiter() const { return delimiter_; }

  /// Returns whether as many fields as columns look like what stands there; a quick look.
  bool look_right(const std::vector<std::string_view>& fields) const;

  /// How a row can be read.
  struct Reading {
    std::vector<std::string_view> fields;  ///< as many as the columns
    bool ambiguous = false;                ///< as well can others, with other times, numbers, states or names
    bool uncertain = false;                ///< as well can others, with the delimiter in another free text
    std::int64_t cost = 0;                 ///< how odd it is; the least one is taken
  };
  /// Gives the parts between delimiters to the columns: those that are too many, and line ends, to free texts. Times,
  /// numbers, states and names stand where they look like such. Nothing if there is no way.
  std::optional<Reading> read(std::string_view row, const Seen& seen) const;

  /// Returns whether the line begins with what stands in the columns before any free text, a number or a time among it.
  bool begins_a_row(std::string_view line) const;
  /// Returns whether these may be the first lines of a row that was cut off, two times, numbers or the like among
  /// them.
  bool may_be_cut_off(std::string_view lines) const;
  /// Returns whether these may be the first lines of a row that ends within a free text, and goes on in the next line.
  bool may_go_on(std::string_view lines) const;

 private:
  enum class Shape;
  class Table;

  static Shape shape_of(std::string_view column);
  std::int64_t cost_of(std::size_t column, std::string_view value, const Seen& seen) const;
  std::int64_t cost_to_begin(std::size_t column, std::string_view part) const;
  std::int64_t cost_to_join(std::size_t column, std::string_view part) const;
  bool is_free(std::size_t column) const;
  bool matters(std::size_t column) const;

  std::vector<std::string> names_;
  std::vector<Shape> shapes_;
  std::string delimiter_;
};

}  // namespace coslice
