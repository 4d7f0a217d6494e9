// Cores of a node, by number.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace coslice {

/// A set of numbers from 0 on. The first 64 need no memory of their own.
class CoreSet {
 public:
  CoreSet() = default;
  CoreSet(const CoreSet& o) : first_(o.first_), others_(o.others_ ? std::make_unique<Words>(*o.others_) : nullptr) {}
  CoreSet(CoreSet&&) noexcept = default;
  CoreSet& operator=(const CoreSet& o) { return *this = CoreSet(o); }
  CoreSet& operator=(CoreSet&&) noexcept = default;

  bool empty() const { return first_ == 0 && !others_; }
  std::int32_t count() const {
    std::int32_t n = std::popcount(first_);
    if (others_)
      for (const std::uint64_t word : *others_) n += std::popcount(word);
    return n;
  }
  bool contains(std::int32_t core) const { return (word(static_cast<std::size_t>(core / 64)) >> core % 64 & 1) != 0; }
  void insert(std::int32_t core) {
    word_to_write(static_cast<std::size_t>(core / 64)) |= std::uint64_t{1} << core % 64;
  }
  CoreSet& operator|=(const CoreSet& o) {
    for (std::size_t i = 0; i != o.words(); ++i)
      if (o.word(i) != 0) word_to_write(i) |= o.word(i);
    return *this;
  }
  bool intersects(const CoreSet& o) const {
    for (std::size_t i = 0; i != std::min(words(), o.words()); ++i)
      if ((word(i) & o.word(i)) != 0) return true;
    return false;
  }
  /// Returns the lowest number in it; -1: it is empty.
  std::int32_t lowest() const {
    for (std::size_t i = 0; i != words(); ++i)
      if (word(i) != 0) return static_cast<std::int32_t>(64 * i) + std::countr_zero(word(i));
    return -1;
  }
  /// Returns how many 64-bit words it has, and each of them: the last one is not 0.
  std::size_t words() const { return others_ ? 1 + others_->size() : 1; }
  std::uint64_t word(std::size_t i) const { return i == 0 ? first_ : i < words() ? (*others_)[i - 1] : 0; }

  bool operator==(const CoreSet& o) const {
    return first_ == o.first_ && (others_ ? o.others_ && *others_ == *o.others_ : !o.others_);
  }
  bool operator<(const CoreSet& o) const {
    for (std::size_t i = 0; i != std::max(words(), o.words()); ++i)
      if (word(i) != o.word(i)) return word(i) < o.word(i);
    return false;
  }

 private:
  using Words = std::vector<std::uint64_t>;
  std::uint64_t& word_to_write(std::size_t i) {
    if (i == 0) return first_;
    if (!others_) others_ = std::make_unique<Words>();
    if (others_->size() < i) others_->resize(i);
    return (*others_)[i - 1];
  }

  std::uint64_t first_ = 0;
  std::unique_ptr<Words> others_;
};

}  // namespace coslice
