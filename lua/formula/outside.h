// What a compiled function reads from outside of it: its upvalues, parameters, globals and fields of these. All of it
// is looked up anew before each pass: numbers may have changed, and if anything else has, the formula holds no longer.
#pragma once

#include <string>
#include <vector>

#include "formula/formula.h"

struct lua_State;

namespace coslice::formula {

/// Functions of the library that formulas may call.
enum class Builtin : std::uint8_t { kNone, kMax, kMin, kAbs, kSqrt, kExp, kLog, kFloor, kCeil, kPow };

class Outside {
 public:
  /// Objects that are always there.
  static constexpr int kFunction = 0, kParams = 1;

  struct Found {
    enum class Kind : std::uint8_t { kNil, kInt, kFloat, kBool, kText, kTable, kFunction, kBuiltin };
    Kind kind = Kind::kNil;
    int number = -1;  ///< of its value, for numbers and booleans
    int object = -1;  ///< for tables and functions
    double most = 0;  ///< that an integer may become before the function must be recognized anew
    Builtin builtin = Builtin::kNone;
    std::string text;
  };

  /// Begins with the stack from `base` on, which holds the function and the parameters, above them the library's table
  /// `math` and the view, or nil; objects that are found are pushed there. Inside a protected call; nothing else may
  /// lie on the stack.
  void begin(lua_State* L, int base);
  /// Returns what an upvalue of a Lua function (from 1), or a field of a table, is now. Throws Refused.
  Found upvalue(int object, int n);
  Found field(int object, const std::string& name);
  /// Returns a field of a table whose key is the view.
  Found field_of_view(int object);
  int stack_index(int object) const { return object < 2 ? base_ + object : base_ + object + kLibrary; }

  /// Looks everything up anew: as in begin(), the stack holds the function, the parameters, `math` and the view. False
  /// if something other than a number has changed.
  bool refresh(lua_State* L, int base);
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  /// Values on the stack between the parameters and what is found.
  static constexpr int kLibrary = 2;
  static constexpr int kByView = -1;
  struct Read {
    int parent;
    int upvalue;  ///< 0: a field; kByView: that of the view
    std::string name;
    Found found;
    const void* identity;  ///< of a function
  };
  Found find(int parent, int upvalue, const std::string& name);
  bool push(const Read& r) const;
  Found classify(double& number, const void*& identity) const;
  Builtin builtin_at(int index) const;

  lua_State* L_ = nullptr;
  int base_ = 0;
  int objects_ = 2;
  std::vector<Read> reads_;
  std::vector<double> numbers_;
};

}  // namespace coslice::formula
