// A formula over a job's fields: the arithmetic of a Lua function as a graph of operations on doubles, with the same
// bits as Lua's own arithmetic. It has no branches (both sides of a choice are computed, one is taken) and nothing in
// it can fail, so it can be computed for many jobs at once (columns.h).
//
// Lua knows integers and floats. Here all are doubles, and types make sure that the difference cannot be seen: an
// integer is below 2^53 in size by the ranges that are kept, and never a negative zero. What cannot be had so is
// refused (Refused), and the function stays Lua's.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace coslice::formula {

/// Thrown while a formula is built: Lua must compute this function itself.
struct Refused {
  const char* why;
};

enum class Op : std::uint8_t {
  kConstant,
  kField,
  kNow,
  kOutside,
  kShare,
  kGiven,
  kLookup,
  kPresent,  // leaves
  kAdd,
  kSub,
  kMul,
  kMulInt,
  kDiv,
  kMod,
  kModInt,
  kFloorDiv,
  kFloorDivInt,
  kPow,
  kPower,  // two operands
  kLess,
  kLessEqual,
  kEqual,  // two operands, true or false
  kNegate,
  kNegateInt,
  kAbs,
  kSqrt,
  kExp,
  kLog,
  kFloor,
  kCeil,
  kNot,     // one operand
  kSelect,  // a ? b : c
};

enum class Type : std::uint8_t {
  kInt,     ///< of Lua's integers, in a known range
  kFloat,   ///< of its floats
  kEither,  ///< an integer in that range, or a float
  kBool,    ///< 1 or 0
};

/// When a value can change: never for a job; from pass to pass alike for all jobs; or both.
enum class Rate : std::uint8_t { kConstant, kJob, kPass, kBoth };

using NodeId = std::int32_t;

struct Node {
  Op op = Op::kConstant;
  Type type = Type::kFloat;
  Rate rate = Rate::kConstant;
  NodeId a = -1, b = -1, c = -1;
  double value = 0;          ///< kConstant: itself; kField, kOutside, kGiven: its number
  double low = 0, high = 0;  ///< of the integers that it can be
};

/// A value in a table of the script's, by a number of the job: held[job.user], or held[job.user].nodes.
struct Lookup {
  int object;         ///< the table, as Outside numbers it
  std::size_t field;  ///< of Formula::fields(): an integer
  std::vector<std::string> path;
  bool as_number = false;      ///< its number is used
  bool unguarded = false;      ///< ... also where it may be nil
  bool told_from_nil = false;  ///< it is compared with nil
  bool no_outer = false;       ///< it is read also where there may be no table to read it from
};

class Formula {
 public:
  // Leaves.
  NodeId constant_int(std::int64_t value);
  NodeId constant_float(double value);
  NodeId constant_bool(bool value);
  /// Adds a node: a field of the job, an integer in low..high, or a float.
  NodeId field(const std::string& name, Type type, double low, double high);
  NodeId now();
  /// Adds a node: a number outside of the function that stays the same during a pass. Integers must be checked to be in
  /// -most..most before each.
  NodeId outside(int number, Type type, double most = 0);
  static constexpr double kOutsideInt = 0x1p40;
  /// Adds a value that is looked up by an integer field of the job. Returns its number in lookups(). Only formulas for
  /// single jobs have them.
  std::size_t lookup(int object, const std::string& field, const std::vector<std::string>& path);
  /// Marks the lookup as one that may find no table to read from.
  void look_behind_nothing(std::size_t l) { lookups_[l].no_outer = true; }
  /// Returns the node of the looked-up number. `guarded`: read only where it is neither nil nor false.
  NodeId looked_up(std::size_t l, bool guarded);
  /// Returns the node that says whether the looked-up value is neither nil nor false; `told_from_nil`: false does not
  /// come up.
  NodeId is_present(std::size_t l, bool told_from_nil);
  const std::vector<Lookup>& lookups() const { return lookups_; }
  /// Returns whether the formula may give another result at another time.
  bool reads_time() const { return reads_time_; }
  /// Adds a node: what is asked once for each owner of jobs and handed to the function, a float.
  NodeId share();
  /// Adds a node: a number that is handed to the function and is the same for all owners.
  NodeId given(int number, Type type, double low, double high);

  // Lua's operators. Throw Refused.
  NodeId arithmetic(Op op, NodeId a, NodeId b);
  NodeId negate(NodeId a);
  NodeId compare(Op op, NodeId a, NodeId b);
  NodeId logical_not(NodeId a);
  NodeId select(NodeId condition, NodeId yes, NodeId no);
  /// Adds a node: kAbs, kSqrt, kExp, kLog, kFloor or kCeil of the math library. The last two may be computed only up to
  /// kExactFloor.
  NodeId function(Op op, NodeId a);

  void set_result(NodeId n);
  NodeId result() const { return result_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId n) const { return nodes_[static_cast<std::size_t>(n)]; }
  const std::vector<std::string>& fields() const { return fields_; }
  Type field_type(std::size_t f) const { return field_types_[f].type; }
  /// Returns whether an integer field may have that value.
  bool in_range(std::size_t f, double x) const { return x >= field_types_[f].low && x <= field_types_[f].high; }

 private:
  NodeId add(Node n);
  NodeId add_int(Op op, NodeId a, NodeId b, double low, double high, Type type = Type::kInt);
  NodeId int_arithmetic(Op op, NodeId a, NodeId b);
  NodeId either_arithmetic(Op op, NodeId a, NodeId b);

  std::vector<Node> nodes_;
  std::map<std::tuple<Op, NodeId, NodeId, NodeId, std::uint64_t, Type>, NodeId> known_;
  std::vector<std::string> fields_;
  std::vector<Lookup> lookups_;
  struct FieldType {
    Type type;
    double low, high;
  };
  std::vector<FieldType> field_types_;
  NodeId result_ = -1;
  bool reads_time_ = false;
};

/// Lua's floor and ceil of a float are integers up to 2^63; integers are known to be exact here up to this size of the
/// operand. The code that computes these two checks for it.
constexpr double kExactFloor = 0x1p51;

/// Returns whether two lists are the same to the last bit: -0.0 is no 0.0 to a division, and a NaN is the same NaN.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// Returns the result of one operation, as Lua computes it; of a unary one `b` is not looked at.
double apply(Op op, double a, double b);

}  // namespace coslice::formula
