#include "formula/formula.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"
#include "host/power_operator.h"

namespace coslice::formula {

namespace {

constexpr double kExact = 0x1p53;  ///< doubles hold every integer up to here
constexpr std::size_t kMostNodes = 200;

double floats_mod(double a, double b) {
  double m = std::fmod(a, b);
  if (m > 0 ? b < 0 : m < 0 && b > 0) m += b;
  return m;
}

std::uint64_t bits(double x) {
  std::uint64_t b = 0;
  std::memcpy(&b, &x, sizeof b);
  return b;
}

bool is_leaf(Op op) { return op <= Op::kPresent; }

}  // namespace

double apply(Op op, double a, double b) {
  switch (op) {
    case Op::kAdd: return a + b;
    case Op::kSub: return a - b;
    case Op::kMul: return a * b;
    case Op::kMulInt: return a * b + 0.0;  // integers have no negative zero
    case Op::kDiv: return a / b;
    case Op::kMod: return floats_mod(a, b);
    case Op::kModInt: return a - std::floor(a / b) * b + 0.0;
    case Op::kFloorDiv: return std::floor(a / b);
    case Op::kFloorDivInt: return std::floor(a / b) + 0.0;
    case Op::kPow: return b == 2 ? a * a : luahost::power(a, b);
    case Op::kPower: return luahost::power(a, b);
    case Op::kLess: return a < b ? 1 : 0;
    case Op::kLessEqual: return a <= b ? 1 : 0;
    case Op::kEqual: return a == b ? 1 : 0;
    case Op::kNegate: return -a;
    case Op::kNegateInt: return 0.0 - a;
    case Op::kAbs: return std::fabs(a);
    case Op::kSqrt: return std::sqrt(a);
    case Op::kExp: return portable_exp(a);
    case Op::kLog: return portable_log(a);
    case Op::kFloor: return std::floor(a) + 0.0;
    case Op::kCeil: return std::ceil(a) + 0.0;
    case Op::kNot: return 1 - a;
    default: return 0;
  }
}

NodeId Formula::add(Node n) {
  if (nodes_.size() == kMostNodes) throw Refused{"it is long"};
  const auto of = [&](NodeId x) { return x < 0 ? Rate::kConstant : node(x).rate; };
  if (!is_leaf(n.op)) {
    const auto rate = static_cast<int>(of(n.a)) | static_cast<int>(of(n.b)) | static_cast<int>(of(n.c));
    n.rate = static_cast<Rate>(rate);
    if (n.rate == Rate::kConstant && n.op != Op::kSelect) {
      n.value = apply(n.op, node(n.a).value, n.b < 0 ? 0 : node(n.b).value);
      n.op = Op::kConstant;
      n.a = n.b = n.c = -1;
    }
  }
  const auto [at, is_new] = known_.try_emplace({n.op, n.a, n.b, n.c, bits(n.value), n.type}, NodeId{0});
  if (is_new) {
    at->second = static_cast<NodeId>(nodes_.size());
    nodes_.push_back(n);
  }
  return at->second;
}

NodeId Formula::constant_int(std::int64_t value) {
  const auto x = static_cast<double>(value);
  if (std::fabs(x) > kOutsideInt) throw Refused{"an integer is large"};
  return add({Op::kConstant, Type::kInt, Rate::kConstant, -1, -1, -1, x, x, x});
}

NodeId Formula::constant_float(double value) {
  return add({Op::kConstant, Type::kFloat, Rate::kConstant, -1, -1, -1, value, 0, 0});
}

NodeId Formula::constant_bool(bool value) {
  return add({Op::kConstant, Type::kBool, Rate::kConstant, -1, -1, -1, value ? 1.0 : 0.0, 0, 0});
}

NodeId Formula::field(const std::string& name, Type type, double low, double high) {
  const auto at = std::ranges::find(fields_, name);
  const auto number = static_cast<double>(at - fields_.begin());
  if (at == fields_.end()) {
    fields_.push_back(name);
    field_types_.push_back({type, low, high});
  }
  return add({Op::kField, type, Rate::kJob, -1, -1, -1, number, low, high});
}

NodeId Formula::now() { return add({Op::kNow, Type::kFloat, Rate::kPass, -1, -1, -1, 0, 0, 0}); }

void Formula::set_result(NodeId n) {
  result_ = n;
  std::vector<bool> needed(nodes_.size());
  needed[static_cast<std::size_t>(n)] = true;
  reads_time_ = false;
  for (NodeId at = n; at >= 0; --at) {
    if (!needed[static_cast<std::size_t>(at)]) continue;
    reads_time_ = reads_time_ || node(at).op == Op::kNow;
    for (const NodeId child : {node(at).a, node(at).b, node(at).c})
      if (child >= 0) needed[static_cast<std::size_t>(child)] = true;
  }
}

NodeId Formula::outside(int number, Type type, double most) {
  return add({Op::kOutside, type, Rate::kPass, -1, -1, -1, static_cast<double>(number), -most, most});
}

NodeId Formula::given(int number, Type type, double low, double high) {
  return add({Op::kGiven, type, Rate::kPass, -1, -1, -1, static_cast<double>(number), low, high});
}

NodeId Formula::share() { return add({Op::kShare, Type::kFloat, Rate::kBoth, -1, -1, -1, 0, 0, 0}); }

std::size_t Formula::lookup(int object, const std::string& field, const std::vector<std::string>& path) {
  const auto at = static_cast<std::size_t>(std::ranges::find(fields_, field) - fields_.begin());
  for (std::size_t l = 0; l != lookups_.size(); ++l)
    if (lookups_[l].object == object && lookups_[l].field == at && lookups_[l].path == path) return l;
  lookups_.push_back({object, at, path});
  return lookups_.size() - 1;
}

NodeId Formula::looked_up(std::size_t l, bool guarded) {
  lookups_[l].as_number = true;
  if (!guarded) lookups_[l].unguarded = true;
  return add({Op::kLookup, Type::kEither, Rate::kBoth, -1, -1, -1, static_cast<double>(l), -kOutsideInt, kOutsideInt});
}

NodeId Formula::is_present(std::size_t l, bool told_from_nil) {
  if (told_from_nil) lookups_[l].told_from_nil = true;
  return add({Op::kPresent, Type::kBool, Rate::kBoth, -1, -1, -1, static_cast<double>(l), 0, 0});
}

NodeId Formula::add_int(Op op, NodeId a, NodeId b, double low, double high, Type type) {
  if (!(low >= -kExact && high <= kExact)) throw Refused{"integers may become large"};
  return add({op, type, Rate::kConstant, a, b, -1, 0, low, high});
}

NodeId Formula::int_arithmetic(Op op, NodeId a, NodeId b) {
  const Node x = node(a), y = node(b);
  const double products[] = {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
  const double size = std::max(std::fabs(y.low), std::fabs(y.high));
  const double range = std::max(std::fabs(x.low), std::fabs(x.high));
  switch (op) {
    case Op::kAdd: return add_int(op, a, b, x.low + y.low, x.high + y.high);
    case Op::kSub: return add_int(op, a, b, x.low - y.high, x.high - y.low);
    case Op::kMul:
      return add_int(Op::kMulInt, a, b, *std::min_element(products, products + 4),
                     *std::max_element(products, products + 4));
    case Op::kMod:
    case Op::kFloorDiv:
      if (y.low <= 0 && y.high >= 0) throw Refused{"an integer may be divided by zero"};
      if (range > kExactFloor || size > kExactFloor) throw Refused{"integers may become large"};
      if (op == Op::kMod) return add_int(Op::kModInt, a, b, -size, size);
      return add_int(Op::kFloorDivInt, a, b, -range - 1, range + 1);
    default: throw Refused{"an operator on integers"};
  }
}

/// Where one operand may be an integer or a float, and none is surely a float.
NodeId Formula::either_arithmetic(Op op, NodeId a, NodeId b) {
  const Node x = node(a), y = node(b);
  if (op == Op::kAdd) return add_int(op, a, b, x.low + y.low, x.high + y.high, Type::kEither);
  if (op == Op::kSub) return add_int(op, a, b, x.low - y.high, x.high - y.low, Type::kEither);
  // The product of integers has no negative zero if one of them is above zero; that of floats may have one.
  const bool no_zero = (x.type == Type::kInt && x.low >= 1) || (y.type == Type::kInt && y.low >= 1);
  if (op != Op::kMul || !no_zero) throw Refused{"a number may be an integer or a float"};
  const double most = std::max(std::fabs(x.low), std::fabs(x.high)) * std::max(std::fabs(y.low), std::fabs(y.high));
  return add_int(op, a, b, -most, most, Type::kEither);
}

NodeId Formula::arithmetic(Op op, NodeId a, NodeId b) {
  const Type x = node(a).type, y = node(b).type;
  if (x == Type::kBool || y == Type::kBool) throw Refused{"arithmetic on a boolean"};
  const bool is_float = x == Type::kFloat || y == Type::kFloat || op == Op::kDiv || op == Op::kPow || op == Op::kPower;
  if (is_float) return add({op, Type::kFloat, Rate::kConstant, a, b, -1, 0, 0, 0});
  if (x == Type::kInt && y == Type::kInt) return int_arithmetic(op, a, b);
  return either_arithmetic(op, a, b);
}

NodeId Formula::negate(NodeId a) {
  const Node x = node(a);
  if (x.type == Type::kInt) return add_int(Op::kNegateInt, a, -1, -x.high, -x.low);
  if (x.type != Type::kFloat) throw Refused{"the negative of what may be an integer or a float"};
  return add({Op::kNegate, Type::kFloat, Rate::kConstant, a, -1, -1, 0, 0, 0});
}

NodeId Formula::compare(Op op, NodeId a, NodeId b) {
  const bool x = node(a).type == Type::kBool, y = node(b).type == Type::kBool;
  if (x != y || (x && op != Op::kEqual)) throw Refused{"a comparison of different types"};
  return add({op, Type::kBool, Rate::kConstant, a, b, -1, 0, 0, 0});
}

NodeId Formula::logical_not(NodeId a) {
  if (node(a).type != Type::kBool) throw Refused{"not of a number"};
  return add({Op::kNot, Type::kBool, Rate::kConstant, a, -1, -1, 0, 0, 0});
}

NodeId Formula::select(NodeId condition, NodeId yes, NodeId no) {
  const Node c = node(condition), x = node(yes), y = node(no);
  if (c.op == Op::kConstant) return c.value != 0 ? yes : no;
  if (yes == no) return yes;
  if ((x.type == Type::kBool) != (y.type == Type::kBool)) throw Refused{"a boolean or a number"};
  Node n{Op::kSelect, x.type, Rate::kConstant, condition, yes, no, 0, x.low, x.high};
  if (x.type != y.type) n.type = Type::kEither;
  if (x.type == Type::kFloat) n.low = y.low, n.high = y.high;
  else if (y.type != Type::kFloat) n.low = std::min(x.low, y.low), n.high = std::max(x.high, y.high);
  return add(n);
}

NodeId Formula::function(Op op, NodeId a) {
  const Node x = node(a);
  if (x.type == Type::kBool) throw Refused{"a function of a boolean"};
  if (op == Op::kFloor || op == Op::kCeil) {
    if (x.type == Type::kInt) return a;
    if (x.op == Op::kConstant && !(std::fabs(x.value) <= kExactFloor)) throw Refused{"an integer is large"};
    return add_int(op, a, -1, -kExactFloor, kExactFloor);
  }
  if (op == Op::kAbs && x.type != Type::kFloat) {
    const double most = std::max(std::fabs(x.low), std::fabs(x.high));
    return add_int(op, a, -1, 0, most, x.type);
  }
  return add({op, Type::kFloat, Rate::kConstant, a, -1, -1, 0, 0, 0});
}

}  // namespace coslice::formula
