// What a Lua function is made of, read from what lua_dump writes. Lua 5.4 only: any other version is refused, and then
// nothing is computed in Lua's place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct lua_State;

namespace coslice::formula {

struct Constant {
  enum class Kind : std::uint8_t { kNil, kFalse, kTrue, kInteger, kFloat, kString };
  Kind kind = Kind::kNil;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;
};

/// One function, without those inside it.
struct Bytecode {
  int parameters = 0;
  bool variadic = false;
  int registers = 0;
  std::vector<std::uint32_t> code;
  std::vector<Constant> constants;
};

/// Instructions of Lua 5.4, as far as formulas are made of them; numbers are those of Lua's lopcodes.h.
enum class Instruction : std::uint8_t {
  kMove = 0,
  kLoadI = 1,
  kLoadF = 2,
  kLoadK = 3,
  kLoadFalse = 5,
  kLoadFalseSkip = 6,
  kLoadTrue = 7,
  kLoadNil = 8,
  kGetUpvalue = 9,
  kGetGlobal = 11,
  kGetTable = 12,
  kGetField = 14,
  kAddI = 21,
  kAddK = 22,
  kSubK = 23,
  kMulK = 24,
  kModK = 25,
  kPowK = 26,
  kDivK = 27,
  kFloorDivK = 28,
  kAdd = 34,
  kSub = 35,
  kMul = 36,
  kMod = 37,
  kPow = 38,
  kDiv = 39,
  kFloorDiv = 40,
  kNegate = 49,
  kNot = 51,
  kJump = 56,
  kEq = 57,
  kLt = 58,
  kLe = 59,
  kEqK = 60,
  kEqI = 61,
  kLtI = 62,
  kLeI = 63,
  kGtI = 64,
  kGeI = 65,
  kTest = 66,
  kTestSet = 67,
  kCall = 68,
  kTailCall = 69,
  kReturn = 70,
  kReturn0 = 71,
  kReturn1 = 72,
};

/// The operands of one instruction.
struct Decoded {
  explicit Decoded(std::uint32_t i)
      : op(static_cast<Instruction>(i & 0x7f)), a(static_cast<int>(i >> 7 & 0xff)), k((i >> 15 & 1) != 0),
        b(static_cast<int>(i >> 16 & 0xff)), c(static_cast<int>(i >> 24)), bx(static_cast<int>(i >> 15)),
        signed_bx(bx - 0xffff), jump(static_cast<int>(i >> 7) - 0xffffff) {}
  int signed_b() const { return b - 127; }
  int signed_c() const { return c - 127; }

  Instruction op;
  int a;
  bool k;
  int b, c, bx, signed_bx, jump;
};

/// Reads the function at the stack index. False if it is none of Lua's, or of another version.
bool read_bytecode(lua_State* L, int index, Bytecode& out);

}  // namespace coslice::formula
