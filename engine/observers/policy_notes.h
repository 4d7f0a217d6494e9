// Numbers that a policy notes down in a run, under names of its own: how long a search was, which candidate won.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace coslice {

class PolicyNotes {
 public:
  static constexpr int kMost = 100;  ///< names
  struct Note {
    std::int64_t count = 0;
    double sum = 0;
    double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
  };

  /// False if there would be too many names.
  bool add(std::string_view name, double x) {
    auto at = notes_.find(name);
    if (at == notes_.end()) {
      if (notes_.size() == kMost) return false;
      at = notes_.emplace(std::string(name), Note{}).first;
    }
    ++at->second.count;
    at->second.sum += x;
    return true;
  }
  /// Adds the notes of another scheduler of the same run.
  void add(const PolicyNotes& others) {
    for (const auto& [name, note] : others.notes_) {
      Note& own = notes_[name];
      own.count += note.count;
      own.sum += note.sum;
    }
  }
  /// By name, in order of the bytes.
  const std::map<std::string, Note, std::less<>>& all() const { return notes_; }

 private:
  std::map<std::string, Note, std::less<>> notes_;
};

}  // namespace coslice
