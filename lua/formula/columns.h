// Computes a formula for many jobs at once: each operation runs over an array. What depends on a job, and on numbers
// outside of the function that do not change, is computed once, when the job comes; what is the same for all jobs once
// a pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "formula/formula.h"

namespace coslice::formula {

/// Between which numbers the result of an operation lies, if its operands lie between others. Rounding keeps order: an
/// operation that grows with its operand does so in its rounded results, too. So these bounds hold for the bits, not
/// only for real numbers. Where nothing is known, a result may be anything, also no number.
struct Bounds {
  double low, high;
  /// Returns whether the bounds are known: both are numbers, and none is infinite.
  bool known() const {
    return low <= high && low >= std::numeric_limits<double>::lowest() && high <= std::numeric_limits<double>::max();
  }
};

/// The bounds of no numbers at all, or of unknown ones.
constexpr Bounds kNoBounds{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

/// Operands that the operation does not have may be anything.
Bounds bounds_of(Op op, const Bounds& a, const Bounds& b, const Bounds& c);

class Columns {
 public:
  /// `formula`, which outlives it, is complete.
  explicit Columns(const Formula& formula);

  void clear();
  std::size_t rows() const { return rows_; }
  /// Sets what the formula reads from outside, before append() and what computes. Where that is not as it was, there
  /// are no rows any more.
  void see(const std::vector<double>& outside);
  /// Appends a job: its fields, in the order of Formula::fields(), and what stands for its owner in shares().
  void append(const double* fields, std::size_t owner);
  /// Returns what is handed to the function as its share, by owner.
  std::vector<double>& shares() { return shares_; }

  /// Computes the result for each job, times `sign`. Returns false if Lua must compute it: an integer is too large, or
  /// a result is NaN.
  bool compute(double now, double sign, double* results);
  /// Begins to compute the results for each job, times `sign`, only as far as they are asked for: `least` gets, for
  /// each block of kBlock rows, a number that no result in it is below. Where that cannot be told from the block's
  /// fields, or is no less work, its results are computed, and it is `known`.
  bool begin(double now, double sign, std::vector<double>& least, std::vector<std::uint8_t>& known, double* results);
  /// Computes the results of the rows `from` up to `to`, at most kBlock, into results[from] and on. Precondition:
  /// begin() came before.
  void compute_rows(std::size_t from, std::size_t to, double* results);
  /// Drops the row of a job that is gone: it does not count in least results any more, and its own results mean
  /// nothing.
  void drop(std::size_t row);
  static constexpr std::size_t kBlock = 64;
  /// Computes the results for all that is in shares(), without rows; returns false if Lua must; `given` is what
  /// Signature::kUsage gives beside it.
  bool compute_shares(const std::array<double, 2>& given, double* results);
  /// Computes the result for a job that has no row. Returns false if Lua must compute it. `looked_up` has the values of
  /// Formula::lookups(), and whether they are present.
  bool compute_one(double now, const std::vector<double>& outside, const double* fields,
                   const std::vector<std::pair<double, bool>>& looked_up, double& result);

 private:
  static constexpr std::size_t kChunk = 256;
  /// Where an operand is: a number for all jobs, an array by row, or one by row of the chunk.
  struct Operand {
    enum class In : std::uint8_t { kScalar, kColumn, kScratch } in = In::kScalar;
    std::size_t index = 0;
  };
  struct Step {
    Op op;
    Operand a, b, c;
    std::size_t to;  ///< scratch array
  };
  /// A part of an operand: it goes up by `step` (0 or 1) elements from row to row.
  struct Span {
    const double* first;
    std::size_t step;
  };

  std::vector<bool> needed() const;
  std::vector<Rate> rates() const;
  void place();
  Operand operand(NodeId n) const;
  Span span(const Operand& o, std::size_t row) const;
  void run(const Step& s, std::size_t row, std::size_t count);
  void share_rows(std::size_t row, std::size_t count);
  double scalar(const Node& n, const std::vector<double>& values, bool& exact) const;
  bool prepare(double now);
  bool compute_some(std::size_t row, std::size_t count, double* results);
  bool compute_block(std::size_t block, std::vector<double>& least, double* results);
  void find_bounds(std::size_t block);
  Bounds bounds_of(const Operand& o, std::size_t block, std::size_t in_chunk) const;
  void bound_blocks(std::size_t block, std::size_t count, std::vector<double>& least);

  const Formula& formula_;
  std::vector<Rate> rates_;  ///< by node: what is outside counts as constant while it seldom changes
  std::vector<double> outside_;
  std::array<double, 2> given_{};
  int changes_ = 0;                       ///< of what is outside
  std::vector<NodeId> of_job_, of_pass_;  ///< in the order in which they are computed
  std::vector<Operand> operands_;         ///< by node
  std::vector<Step> steps_;               ///< what is computed for each job in each pass
  std::vector<NodeId> stored_;            ///< of the job nodes, those with a column
  std::vector<std::vector<double>> columns_;
  std::vector<std::vector<double>> scratch_;
  std::vector<double> values_;      ///< of constants and of what is the same for all, by node
  std::vector<double> row_values_;  ///< by node
  std::vector<double> shares_;
  std::vector<std::size_t> owners_;  ///< by row
  std::size_t rows_ = 0;
  double sign_ = 1;                          ///< of the last begin()
  std::vector<std::uint8_t> gone_;           ///< by row
  std::vector<std::vector<Bounds>> blocks_;  ///< of rows that are not gone, by column and block
  std::vector<bool> stale_;                  ///< by block: its bounds are to be looked for
  std::vector<std::vector<Bounds>> scratch_bounds_;
  std::size_t share_scratch_ = 0;
  NodeId share_ = -1;
  bool exact_ = true;       ///< of what was computed in this pass
  bool rows_exact_ = true;  ///< of what was computed when jobs came
};

}  // namespace coslice::formula
