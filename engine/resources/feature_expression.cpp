#include "resources/feature_expression.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace coslice {
namespace {

constexpr std::size_t kMostTerms = 64;
constexpr std::size_t kMostLength = 4096;

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == ':' || c == '+';
}

/// Recursive descent; the result is kept as a disjunction of conjunctions all the time.
class Parser {
 public:
  Parser(const std::string& text, const std::vector<std::string>& known, const Place& place)
      : text_(text), known_(known), place_(place) {}

  std::vector<FeatureTerm> parse() {
    if (text_.size() > kMostLength) fail("it is too long");
    next();
    std::vector<FeatureTerm> terms = alternatives(false);
    if (!token_.empty()) fail(fmt::format("'{}' does not belong there", token_));
    // What can never be (a feature with and without) is no alternative.
    terms.erase(std::remove_if(terms.begin(), terms.end(), is_impossible), terms.end());
    if (terms.empty()) fail("no node can have and not have the same feature");
    return terms;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    fail_at(place_, fmt::format("'{}' is not an expression of features: {}", text_, what),
            "names joined by & (and), | (or), ! (not) and parentheses");
  }

  void next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const std::size_t from = at_;
    if (at_ < text_.size() && !is_name_letter(text_[at_])) ++at_;
    else
      while (at_ < text_.size() && is_name_letter(text_[at_])) ++at_;
    token_ = text_.substr(from, at_ - from);
    if (token_ == "and") token_ = "&";
    if (token_ == "or" || token_ == ",") token_ = "|";
    if (token_ == "not") token_ = "!";
  }

  bool take(const char* token) {
    if (token_ != token) return false;
    next();
    return true;
  }

  // Under a negation, and and or change places (De Morgan).
  std::vector<FeatureTerm> alternatives(bool negated) {
    std::vector<FeatureTerm> terms = conjunction(negated);
    while (take("|")) terms = negated ? both(terms, conjunction(negated)) : either(terms, conjunction(negated));
    return terms;
  }

  std::vector<FeatureTerm> conjunction(bool negated) {
    std::vector<FeatureTerm> terms = factor(negated);
    while (take("&")) terms = negated ? either(terms, factor(negated)) : both(terms, factor(negated));
    return terms;
  }

  std::vector<FeatureTerm> factor(bool negated) {
    if (++depth_ > 100) fail("it is nested too deeply");
    std::vector<FeatureTerm> terms;
    if (take("!")) {
      terms = factor(!negated);
    } else if (take("(")) {
      terms = alternatives(negated);
      if (!take(")")) fail("a '(' is not closed");
    } else {
      terms = feature(negated);
    }
    --depth_;
    return terms;
  }

  std::vector<FeatureTerm> feature(bool negated) {
    if (token_.empty() || !is_name_letter(token_[0]))
      fail(token_.empty() ? "it ends too early" : "a name is missing before '" + token_ + "'");
    const auto found = std::find(known_.begin(), known_.end(), token_);
    if (found == known_.end()) {
      fail_at(place_, fmt::format("no kind of node has the feature '{}'", token_),
              known_.empty() ? "" : fmt::format("one of {}", fmt::join(known_, ", ")), did_you_mean(token_, known_));
    }
    const auto index = static_cast<std::int32_t>(found - known_.begin());
    next();
    FeatureTerm term;
    (negated ? term.without : term.with).push_back(index);
    return {term};
  }

  std::vector<FeatureTerm> either(std::vector<FeatureTerm> a, const std::vector<FeatureTerm>& b) const {
    a.insert(a.end(), b.begin(), b.end());
    return distinct(std::move(a));
  }

  std::vector<FeatureTerm> both(const std::vector<FeatureTerm>& a, const std::vector<FeatureTerm>& b) const {
    std::vector<FeatureTerm> out;
    for (const FeatureTerm& x : a)
      for (const FeatureTerm& y : b) out.push_back({merged(x.with, y.with), merged(x.without, y.without)});
    return distinct(std::move(out));
  }

  static std::vector<std::int32_t> merged(std::vector<std::int32_t> a, const std::vector<std::int32_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    std::sort(a.begin(), a.end());
    a.erase(std::unique(a.begin(), a.end()), a.end());
    return a;
  }

  std::vector<FeatureTerm> distinct(std::vector<FeatureTerm> terms) const {
    std::vector<FeatureTerm> out;
    for (FeatureTerm& t : terms)
      if (std::find(out.begin(), out.end(), t) == out.end()) out.push_back(std::move(t));
    if (out.size() > kMostTerms) fail(fmt::format("it has more than {} alternatives", kMostTerms));
    return out;
  }

  static bool is_impossible(const FeatureTerm& t) {
    return std::any_of(t.with.begin(), t.with.end(), [&](std::int32_t f) {
      return std::find(t.without.begin(), t.without.end(), f) != t.without.end();
    });
  }

  const std::string& text_;
  const std::vector<std::string>& known_;
  const Place& place_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string token_;
};

}  // namespace

bool is_feature_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_name_letter) && name != "and" && name != "or" &&
         name != "not";
}

std::vector<FeatureTerm> parse_features(const std::string& text, const std::vector<std::string>& known,
                                        const Place& place) {
  return Parser(text, known, place).parse();
}

std::string features_text(const std::vector<FeatureTerm>& terms, const std::vector<std::string>& known) {
  std::string out;
  for (const FeatureTerm& term : terms) {
    if (!out.empty()) out += '|';
    std::string one;
    for (const std::int32_t f : term.with) one += (one.empty() ? "" : "&") + known[static_cast<std::size_t>(f)];
    for (const std::int32_t f : term.without) one += (one.empty() ? "!" : "&!") + known[static_cast<std::size_t>(f)];
    out += one;
  }
  return out;
}

}  // namespace coslice
