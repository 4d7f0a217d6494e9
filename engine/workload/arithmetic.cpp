#include "workload/arithmetic.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "core/portable_math.h"
#include "core/printable.h"

namespace coslice {
namespace {

constexpr int kDeepest = 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Expression {
 public:
  Expression(std::string_view text, const std::map<std::string, double>& names) : text_(text), names_(names) {}

  double value() {
    const double v = sum();
    if (peek() != '\0') fail();
    return v;
  }

 private:
  [[noreturn]] void fail() const {
    throw InputError({"", 0, fmt::format("'{}' cannot be read", printable(shortened(text_, 60))),
                      "numbers, names of arguments, + - * / ^ and parentheses", "", ""});
  }

  /// The next character that is no blank; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  double sum() {
    if (++depth_ > kDeepest) fail();
    double v = product();
    for (;;) {
      if (take('+')) v += product();
      else if (take('-')) v -= product();
      else break;
    }
    --depth_;
    return v;
  }

  double product() {
    double v = sign();
    for (;;) {
      if (take('*')) v *= sign();
      else if (take('/')) v /= sign();
      else return v;
    }
  }

  double sign() {
    bool minus = false;
    while (take('-')) minus = !minus;
    const double v = power();
    return minus ? -v : v;
  }

  double power() {
    const double base = atom();
    if (!take('^')) return base;
    if (++depth_ > kDeepest) fail();
    const double v = portable_pow(base, sign());
    --depth_;
    return v;
  }

  double atom() {
    if (take('(')) {
      const double v = sum();
      if (!take(')')) fail();
      return v;
    }
    const char c = peek();
    if (is_letter(c)) return name();
    if (!is_digit(c) && c != '.') fail();
    double v = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), v);
    if (error != std::errc{}) fail();
    at_ = static_cast<std::size_t>(end - text_.data());
    return v;
  }

  double name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    const auto found = names_.find(word);
    if (found != names_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [n, value] : names_) known.push_back(n);
    throw InputError({"", 0, fmt::format("'{}' in '{}' has no value", printable(word), printable(shortened(text_, 60))),
                      "the name of an argument of the job", did_you_mean(word, known), ""});
  }

  std::string_view text_;
  const std::map<std::string, double>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double arithmetic_value(std::string_view text, const std::map<std::string, double>& names) {
  return Expression(text, names).value();
}

}  // namespace coslice
