#include "formula/columns.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace coslice::formula {
namespace {

Bounds corners(double p, double q, double r, double s) {
  return {std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s))};
}

Bounds product(const Bounds& a, const Bounds& b) {
  if (a.low >= 0 && b.low >= 0) return {a.low * b.low, a.high * b.high};
  return corners(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

Bounds quotient(const Bounds& a, const Bounds& b) {
  if (a.low >= 0 && b.low > 0) return {a.low / b.high, a.high / b.low};
  if (b.low <= 0 && b.high >= 0) return kNoBounds;
  return corners(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}

Bounds floor_of(const Bounds& a) { return {std::floor(a.low) + 0.0, std::floor(a.high) + 0.0}; }

/// A truth that is surely so, surely not, or either.
Bounds truth(bool always, bool possible) { return {always ? 1.0 : 0.0, possible ? 1.0 : 0.0}; }

bool exact_floor(const Bounds& a) { return a.low >= -kExactFloor && a.high <= kExactFloor; }

Bounds of_one(Op op, const Bounds& a) {
  switch (op) {
    case Op::kNegate:
    case Op::kNegateInt: return {-a.high, -a.low};
    case Op::kAbs:
      if (a.low >= 0) return a;
      if (a.high <= 0) return {-a.high, -a.low};
      return {0, std::max(-a.low, a.high)};
    case Op::kSqrt: return a.low >= 0 ? Bounds{std::sqrt(a.low), std::sqrt(a.high)} : kNoBounds;
    case Op::kFloor: return exact_floor(a) ? floor_of(a) : kNoBounds;
    case Op::kCeil: return exact_floor(a) ? Bounds{std::ceil(a.low) + 0.0, std::ceil(a.high) + 0.0} : kNoBounds;
    case Op::kNot: return {1 - a.high, 1 - a.low};
    default: return kNoBounds;
  }
}

Bounds of_two(Op op, const Bounds& a, const Bounds& b) {
  switch (op) {
    case Op::kAdd: return {a.low + b.low, a.high + b.high};
    case Op::kSub: return {a.low - b.high, a.high - b.low};
    case Op::kMul:
    case Op::kMulInt: return product(a, b);
    case Op::kDiv: return quotient(a, b);
    case Op::kFloorDiv:
    case Op::kFloorDivInt: {
      const Bounds q = quotient(a, b);
      return q.known() ? floor_of(q) : kNoBounds;
    }
    case Op::kPow: return b.low == 2 && b.high == 2 && a.low >= 0 ? product(a, a) : kNoBounds;
    case Op::kLess: return truth(a.high < b.low, a.low < b.high);
    case Op::kLessEqual: return truth(a.high <= b.low, a.low <= b.high);
    case Op::kEqual: return truth(a.low == b.high && a.high == b.low, a.low <= b.high && b.low <= a.high);
    default: return kNoBounds;
  }
}

/// A formula whose surroundings change more often computes from them in each pass.
constexpr int kMostChanges = 8;
/// So many blocks are computed sooner than it is known which of them need not be.
constexpr std::size_t kFewBlocks = 2;

bool is_exact(Op op, double a) { return (op != Op::kFloor && op != Op::kCeil) || std::fabs(a) <= kExactFloor; }

/// Loops without a step that varies are those of which the compiler makes vector code.
template <class F>
void over(const double* a, std::size_t a_step, const double* b, std::size_t b_step, double* to, std::size_t count,
          F f) {
  if (a_step == 1 && b_step == 1)
    for (std::size_t i = 0; i != count; ++i) to[i] = f(a[i], b[i]);
  else if (a_step == 1)
    for (std::size_t i = 0; i != count; ++i) to[i] = f(a[i], *b);
  else if (b_step == 1)
    for (std::size_t i = 0; i != count; ++i) to[i] = f(*a, b[i]);
  else
    for (std::size_t i = 0; i != count; ++i) to[i] = f(*a, *b);
}

}  // namespace

Bounds bounds_of(Op op, const Bounds& a, const Bounds& b, const Bounds& c) {
  if (!a.known()) return kNoBounds;
  Bounds result = kNoBounds;
  if (op == Op::kSelect) {
    if (a.low > 0) result = b;
    else if (a.high == 0) result = c;
    else if (b.known() && c.known()) result = {std::min(b.low, c.low), std::max(b.high, c.high)};
  } else if (op >= Op::kNegate) {
    result = of_one(op, a);
  } else if (b.known()) {
    result = of_two(op, a, b);
  }
  return result.known() ? result : kNoBounds;
}

Columns::Columns(const Formula& formula)
    : formula_(formula), operands_(formula.nodes().size()), values_(formula.nodes().size()),
      row_values_(formula.nodes().size()) {
  place();
}

void Columns::see(const std::vector<double>& outside) {
  if (same_bits(outside, outside_)) return;
  outside_ = outside;
  clear();
  if (++changes_ == kMostChanges) place();
  prepare(0);  // rows are made of what is outside, too
}

/// The nodes that the result is made of.
std::vector<bool> Columns::needed() const {
  std::vector<bool> needed(formula_.nodes().size());
  needed[static_cast<std::size_t>(formula_.result())] = true;
  for (NodeId n = formula_.result(); n >= 0; --n) {
    if (!needed[static_cast<std::size_t>(n)]) continue;
    const Node& node = formula_.node(n);
    for (const NodeId child : {node.a, node.b, node.c})
      if (child >= 0) needed[static_cast<std::size_t>(child)] = true;
  }
  return needed;
}

Columns::Operand Columns::operand(NodeId n) const { return n < 0 ? Operand{} : operands_[static_cast<std::size_t>(n)]; }

/// When each node's value can change, if what is outside is taken for constant.
std::vector<Rate> Columns::rates() const {
  std::vector<Rate> rates;
  for (const Node& n : formula_.nodes()) {
    const auto of = [&](NodeId child) { return child < 0 ? Rate::kConstant : rates[static_cast<std::size_t>(child)]; };
    const auto together = static_cast<int>(of(n.a)) | static_cast<int>(of(n.b)) | static_cast<int>(of(n.c));
    if (changes_ >= kMostChanges) rates.push_back(n.rate);
    else if (n.a < 0) rates.push_back(n.op == Op::kOutside ? Rate::kConstant : n.rate);
    else rates.push_back(static_cast<Rate>(together));
  }
  // It is still computed before each pass, not before the run.
  for (std::size_t n = 0; n != rates.size(); ++n)
    if (rates[n] == Rate::kConstant && formula_.nodes()[n].rate == Rate::kPass) rates[n] = Rate::kPass;
  return rates;
}

/// Decides where each node's values are. Scratch arrays are used again as soon as they are no longer read.
void Columns::place() {
  const std::vector<bool> needed = this->needed();
  rates_ = rates();
  of_job_.clear();
  of_pass_.clear();
  steps_.clear();
  stored_.clear();
  columns_.clear();
  scratch_.clear();
  share_ = -1;
  const auto count = static_cast<NodeId>(needed.size());
  std::vector<NodeId> last_use(needed.size(), formula_.result());
  for (NodeId n = 0; n != count; ++n)
    if (needed[static_cast<std::size_t>(n)])
      for (const NodeId child : {formula_.node(n).a, formula_.node(n).b, formula_.node(n).c})
        if (child >= 0) last_use[static_cast<std::size_t>(child)] = n;
  std::vector<bool> read_later(needed.size());  // in passes
  read_later[static_cast<std::size_t>(formula_.result())] = true;
  for (NodeId n = 0; n != count; ++n)
    if (needed[static_cast<std::size_t>(n)] && rates_[static_cast<std::size_t>(n)] == Rate::kBoth)
      for (const NodeId child : {formula_.node(n).a, formula_.node(n).b, formula_.node(n).c})
        if (child >= 0) read_later[static_cast<std::size_t>(child)] = true;
  std::vector<std::size_t> unused;
  const auto scratch = [&] {
    if (unused.empty()) {
      scratch_.emplace_back(kChunk);
      return scratch_.size() - 1;
    }
    const std::size_t s = unused.back();
    unused.pop_back();
    return s;
  };
  for (NodeId n = 0; n != count; ++n) {
    const auto at = static_cast<std::size_t>(n);
    if (!needed[at]) continue;
    const Node& node = formula_.node(n);
    switch (rates_[at]) {
      case Rate::kConstant: values_[at] = node.value; [[fallthrough]];
      case Rate::kPass:
        if (rates_[at] == Rate::kPass) of_pass_.push_back(n);
        operands_[at] = {Operand::In::kScalar, at};
        break;
      case Rate::kJob:
        of_job_.push_back(n);
        if (!read_later[at]) break;
        operands_[at] = {Operand::In::kColumn, columns_.size()};
        stored_.push_back(n);
        columns_.emplace_back();
        break;
      case Rate::kBoth: {
        const Operand a = operand(node.a), b = operand(node.b), c = operand(node.c);
        operands_[at] = {Operand::In::kScratch, scratch()};
        if (node.op == Op::kShare) share_ = n, share_scratch_ = operands_[at].index;
        else steps_.push_back({node.op, a, b, c, operands_[at].index});
        for (const NodeId child : std::set<NodeId>{node.a, node.b, node.c})
          if (child >= 0 && last_use[static_cast<std::size_t>(child)] == n && child != share_ &&
              operand(child).in == Operand::In::kScratch)
            unused.push_back(operand(child).index);
        break;
      }
    }
  }
  blocks_.assign(columns_.size(), {});
  scratch_bounds_.assign(scratch_.size(), std::vector<Bounds>(kChunk));
}

void Columns::clear() {
  for (std::vector<double>& c : columns_) c.clear();
  owners_.clear();
  gone_.clear();
  stale_.clear();
  rows_ = 0;
  rows_exact_ = true;
}

double Columns::scalar(const Node& n, const std::vector<double>& values, bool& exact) const {
  const auto value = [&](NodeId child) { return child < 0 ? 0.0 : values[static_cast<std::size_t>(child)]; };
  if (n.op == Op::kSelect) return value(n.a) != 0 ? value(n.b) : value(n.c);
  exact = exact && is_exact(n.op, value(n.a));
  return apply(n.op, value(n.a), value(n.b));
}

void Columns::append(const double* fields, std::size_t owner) {
  for (std::size_t n = 0; n != values_.size(); ++n) row_values_[n] = values_[n];  // constants
  for (const NodeId n : of_job_) {
    const Node& node = formula_.node(n);
    row_values_[static_cast<std::size_t>(n)] =
        node.op == Op::kField ? fields[static_cast<std::size_t>(node.value)] : scalar(node, row_values_, rows_exact_);
  }
  for (std::size_t i = 0; i != stored_.size(); ++i)
    columns_[i].push_back(row_values_[static_cast<std::size_t>(stored_[i])]);
  if (share_ >= 0) owners_.push_back(owner);
  gone_.push_back(0);
  stale_.resize(rows_ / kBlock + 1);
  stale_.back() = true;
  ++rows_;
}

/// What is the same for all jobs in this pass.
bool Columns::prepare(double now) {
  exact_ = true;
  for (const NodeId n : of_pass_) {
    const Node& node = formula_.node(n);
    const auto number = static_cast<std::size_t>(node.value);
    values_[static_cast<std::size_t>(n)] = node.op == Op::kNow       ? now
                                           : node.op == Op::kOutside ? outside_[number]
                                           : node.op == Op::kGiven   ? given_[number]
                                                                     : scalar(node, values_, exact_);
  }
  return exact_;
}

Columns::Span Columns::span(const Operand& o, std::size_t row) const {
  switch (o.in) {
    case Operand::In::kScalar: return {&values_[o.index], 0};
    case Operand::In::kColumn: return {&columns_[o.index][row], 1};
    case Operand::In::kScratch: return {scratch_[o.index].data(), 1};
  }
  return {};
}

void Columns::run(const Step& s, std::size_t row, std::size_t count) {
  const Span a = span(s.a, row), b = span(s.b, row);
  double* const to = scratch_[s.to].data();
  const auto loop = [&](auto f) { over(a.first, a.step, b.first, b.step, to, count, f); };
  switch (s.op) {
    case Op::kAdd: return loop([](double x, double y) { return x + y; });
    case Op::kSub: return loop([](double x, double y) { return x - y; });
    case Op::kMul: return loop([](double x, double y) { return x * y; });
    case Op::kMulInt: return loop([](double x, double y) { return x * y + 0.0; });
    case Op::kDiv: return loop([](double x, double y) { return x / y; });
    case Op::kLess: return loop([](double x, double y) { return x < y ? 1.0 : 0.0; });
    case Op::kLessEqual: return loop([](double x, double y) { return x <= y ? 1.0 : 0.0; });
    case Op::kNegate: return loop([](double x, double) { return -x; });
    case Op::kSqrt: return loop([](double x, double) { return std::sqrt(x); });
    case Op::kSelect: {
      const Span c = span(s.c, row);
      for (std::size_t i = 0; i != count; ++i)
        to[i] = a.first[i * a.step] != 0 ? b.first[i * b.step] : c.first[i * c.step];
      return;
    }
    default:
      for (std::size_t i = 0; i != count; ++i) {
        exact_ = exact_ && is_exact(s.op, a.first[i * a.step]);
        to[i] = apply(s.op, a.first[i * a.step], b.first[i * b.step]);
      }
  }
}

void Columns::share_rows(std::size_t row, std::size_t count) {
  std::vector<double>& to = scratch_[share_scratch_];
  for (std::size_t i = 0; i != count; ++i) to[i] = shares_[owners_[row + i]];
}

bool Columns::compute_some(std::size_t row, std::size_t count, double* results) {
  const Operand result = operand(formula_.result());
  if (share_ >= 0) share_rows(row, count);
  for (const Step& s : steps_) run(s, row, count);
  const Span from = span(result, row);
  std::size_t nan = 0;
  for (std::size_t i = 0; i != count; ++i) {
    const double x = sign_ * from.first[i * from.step];
    results[row + i] = x;
    nan += x != x ? 1 : 0;
  }
  if (nan == 0) return true;
  for (std::size_t i = 0; i != count; ++i)  // what is computed of a job that has gone may be anything
    if (results[row + i] != results[row + i] && (gone_.empty() || gone_[row + i] == 0)) return false;
  return true;
}

bool Columns::compute(double now, double sign, double* results) {
  if (!prepare(now) || !rows_exact_) return false;
  sign_ = sign;
  bool numbers = true;
  for (std::size_t row = 0; row < rows_; row += kChunk)
    numbers = compute_some(row, std::min(kChunk, rows_ - row), results) && numbers;
  return numbers && exact_;
}

bool Columns::compute_shares(const std::array<double, 2>& given, double* results) {
  given_ = given;
  while (owners_.size() < shares_.size()) owners_.push_back(owners_.size());
  rows_ = shares_.size();
  return compute(0, 1, results);
}

void Columns::compute_rows(std::size_t from, std::size_t to, double* results) {
  compute_some(from, to - from, results);
}

void Columns::drop(std::size_t row) {
  gone_[row] = 1;
  stale_[row / kBlock] = true;
}

/// Of what each column holds in that block.
void Columns::find_bounds(std::size_t block) {
  const std::size_t from = block * kBlock, to = std::min(from + kBlock, rows_);
  for (std::size_t c = 0; c != columns_.size(); ++c) {
    Bounds b = kNoBounds;
    std::size_t nan = 0;
    for (std::size_t row = from; row != to; ++row) {
      const double low = gone_[row] != 0 ? kNoBounds.low : columns_[c][row];
      const double high = gone_[row] != 0 ? kNoBounds.high : columns_[c][row];
      b.low = low < b.low ? low : b.low;
      b.high = high > b.high ? high : b.high;
      nan += low != low ? 1 : 0;
    }
    blocks_[c][block] = nan == 0 ? b : kNoBounds;
  }
  stale_[block] = false;
}

Bounds Columns::bounds_of(const Operand& o, std::size_t block, std::size_t in_chunk) const {
  switch (o.in) {
    case Operand::In::kScalar: return {values_[o.index], values_[o.index]};
    case Operand::In::kColumn: return blocks_[o.index][block];
    case Operand::In::kScratch: return scratch_bounds_[o.index][in_chunk];
  }
  return kNoBounds;
}

void Columns::bound_blocks(std::size_t block, std::size_t count, std::vector<double>& least) {
  if (share_ >= 0) std::fill_n(scratch_bounds_[share_scratch_].begin(), count, kNoBounds);
  for (const Step& s : steps_) {
    std::vector<Bounds>& to = scratch_bounds_[s.to];
    for (std::size_t i = 0; i != count; ++i)
      to[i] = formula::bounds_of(s.op, bounds_of(s.a, block + i, i), bounds_of(s.b, block + i, i),
                                 bounds_of(s.c, block + i, i));
  }
  const Operand result = operand(formula_.result());
  for (std::size_t i = 0; i != count; ++i) {
    const Bounds b = bounds_of(result, block + i, i);
    least[block + i] = sign_ < 0 ? -b.high : b.low;
    if (!b.known()) least[block + i] = std::numeric_limits<double>::quiet_NaN();
  }
}

bool Columns::compute_block(std::size_t block, std::vector<double>& least, double* results) {
  const std::size_t from = block * kBlock, to = std::min(from + kBlock, rows_);
  const bool numbers = compute_some(from, to - from, results);
  least[block] = std::numeric_limits<double>::infinity();
  for (std::size_t row = from; row != to; ++row)
    if (gone_[row] == 0) least[block] = std::min(least[block], results[row]);
  return numbers;
}

bool Columns::begin(double now, double sign, std::vector<double>& least, std::vector<std::uint8_t>& known,
                    double* results) {
  if (!prepare(now) || !rows_exact_) return false;
  sign_ = sign;
  const std::size_t blocks = (rows_ + kBlock - 1) / kBlock;
  const bool few = blocks <= kFewBlocks;
  least.assign(blocks, std::numeric_limits<double>::quiet_NaN());
  known.assign(blocks, 0);
  if (!few) {
    for (std::vector<Bounds>& column : blocks_) column.resize(blocks);
    for (std::size_t b = 0; b != blocks; ++b)
      if (stale_[b]) find_bounds(b);
    for (std::size_t b = 0; b < blocks; b += kChunk) bound_blocks(b, std::min(kChunk, blocks - b), least);
  }
  bool numbers = true;
  for (std::size_t b = 0; b != blocks; ++b) {
    if (least[b] == least[b]) continue;
    numbers = compute_block(b, least, results) && numbers;
    known[b] = 1;
  }
  return numbers && exact_;
}

bool Columns::compute_one(double now, const std::vector<double>& outside, const double* fields,
                          const std::vector<std::pair<double, bool>>& looked_up, double& result) {
  see(outside);
  if (!prepare(now)) return false;
  bool exact = true;
  for (NodeId n = 0; n <= formula_.result(); ++n) {
    const Node& node = formula_.node(n);
    double& value = row_values_[static_cast<std::size_t>(n)];
    if (node.rate == Rate::kConstant || node.rate == Rate::kPass) value = values_[static_cast<std::size_t>(n)];
    else if (node.op == Op::kField) value = fields[static_cast<std::size_t>(node.value)];
    else if (node.op == Op::kLookup) value = looked_up[static_cast<std::size_t>(node.value)].first;
    else if (node.op == Op::kPresent) value = looked_up[static_cast<std::size_t>(node.value)].second ? 1 : 0;
    else if (node.op != Op::kShare) value = scalar(node, row_values_, exact);
  }
  result = row_values_[static_cast<std::size_t>(formula_.result())];
  return exact && result == result;
}

}  // namespace coslice::formula
