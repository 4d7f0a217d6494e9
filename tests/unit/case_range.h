// Which random cases a test runs at length.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace coslice::test {

/// Numbers from `from` up to `to`, one after the other.
class CaseRange {
 public:
  struct Iterator {
    std::uint64_t number;
    std::uint64_t operator*() const { return number; }
    Iterator& operator++() {
      ++number;
      return *this;
    }
    bool operator!=(const Iterator& o) const { return number != o.number; }
  };
  CaseRange(std::uint64_t from, std::uint64_t to) : from_(from), to_(to) {}
  Iterator begin() const { return {from_}; }
  Iterator end() const { return {to_}; }

 private:
  std::uint64_t from_, to_;
};

/// The seeds of `count` cases from `first` on; the environment may say otherwise: COSLICE_CASES how many, COSLICE_SEED
/// from which one on.
inline CaseRange cases_at_length(std::uint64_t first, std::uint64_t count) {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : static_cast<std::uint64_t>(std::strtoull(text, nullptr, 10));
  };
  const std::uint64_t from = number("COSLICE_SEED", first);
  return {from, from + number("COSLICE_CASES", count)};
}

/// How many rounds a test takes: so many each day, and as many times more as COSLICE_TIMES says (the tag `times`).
template <class N>
N rounds(N each_day) {
  const char* const times = std::getenv("COSLICE_TIMES");
  return times == nullptr ? each_day : each_day * static_cast<N>(std::strtoull(times, nullptr, 10));
}

}  // namespace coslice::test
