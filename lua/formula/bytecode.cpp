#include "formula/bytecode.h"

#include <cstring>
#include <lua.hpp>
#include <string_view>

namespace coslice::formula {

namespace {

struct Malformed {};

/// Takes values off the front of a dump.
class Reader {
 public:
  explicit Reader(std::string_view dump) : rest_(dump) {}

  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1)[0]); }
  template <class T>
  T raw() {
    T x;
    std::memcpy(&x, take(sizeof x).data(), sizeof x);
    return x;
  }
  /// Seven bits a byte, the most significant first; the last byte has its eighth bit set.
  std::size_t size() {
    std::size_t x = 0;
    for (;;) {
      const std::uint8_t b = byte();
      if (x > SIZE_MAX >> 7) throw Malformed{};
      x = x << 7 | (b & 0x7f);
      if ((b & 0x80) != 0) return x;
    }
  }
  std::string_view text() {
    const std::size_t n = size();
    return n == 0 ? std::string_view() : take(n - 1);
  }
  std::string_view take(std::size_t n) {
    if (n > rest_.size()) throw Malformed{};
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }

 private:
  std::string_view rest_;
};

void check_header(Reader& in) {
  using std::string_view_literals::operator""sv;
  const bool same = in.take(4) == LUA_SIGNATURE && in.byte() == 0x54 && in.byte() == 0 &&
                    in.take(6) == "\x19\x93\r\n\x1a\n"sv && in.byte() == sizeof(std::uint32_t) &&
                    in.byte() == sizeof(std::int64_t) && in.byte() == sizeof(double) &&
                    in.raw<std::int64_t>() == 0x5678 && in.raw<double>() == 370.5;
  if (!same) throw Malformed{};
}

Constant read_constant(Reader& in) {
  Constant k;
  switch (in.byte()) {
    case 0x00: k.kind = Constant::Kind::kNil; break;
    case 0x01: k.kind = Constant::Kind::kFalse; break;
    case 0x11: k.kind = Constant::Kind::kTrue; break;
    case 0x03:
      k.kind = Constant::Kind::kInteger;
      k.integer = in.raw<std::int64_t>();
      break;
    case 0x13:
      k.kind = Constant::Kind::kFloat;
      k.number = in.raw<double>();
      break;
    case 0x04:
    case 0x14:
      k.kind = Constant::Kind::kString;
      k.text = in.text();
      break;
    default: throw Malformed{};
  }
  return k;
}

Bytecode read_function(Reader& in) {
  Bytecode f;
  check_header(in);
  in.byte();  // upvalues
  in.text();  // where it stands
  in.size();  // first line
  in.size();  // last line
  f.parameters = in.byte();
  f.variadic = in.byte() != 0;
  f.registers = in.byte();
  const std::size_t length = in.size();
  const std::string_view code = in.take(length * sizeof(std::uint32_t));
  f.code.resize(length);
  std::memcpy(f.code.data(), code.data(), code.size());
  const std::size_t constants = in.size();
  for (std::size_t i = 0; i != constants; ++i) f.constants.push_back(read_constant(in));
  return f;
}

int collect(lua_State*, const void* data, std::size_t size, void* to) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
  return 0;
}

}  // namespace

bool read_bytecode(lua_State* L, int index, Bytecode& out) {
  if (!lua_isfunction(L, index) || lua_iscfunction(L, index)) return false;
  std::string dump;
  lua_pushvalue(L, index);
  const int failed = lua_dump(L, collect, &dump, 1);
  lua_pop(L, 1);
  if (failed != 0) return false;
  try {
    Reader in(dump);
    out = read_function(in);
  } catch (const Malformed&) {
    return false;
  }
  return true;
}

}  // namespace coslice::formula
