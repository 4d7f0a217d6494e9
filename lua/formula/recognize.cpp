#include "formula/recognize.h"

#include <algorithm>
#include <map>

#include "formula/bytecode.h"
#include "jobs/attributes.h"

namespace coslice::formula {

namespace {

constexpr int kMostSteps = 3000;
constexpr int kDeepest = 6;  ///< functions that call functions

/// What a register holds.
struct Value {
  enum class Kind : std::uint8_t {
    kNil,
    kNumber,
    kJob,
    kText,
    kTable,
    kFunction,
    kBuiltin,
    kView,
    kLookup,
    kKnownLookup
  };
  Kind kind = Kind::kNil;
  NodeId node = -1;  ///< of a number or a boolean
  int object = -1;   ///< also the number of a lookup
  Builtin builtin = Builtin::kNone;
  std::string text;

  bool same(const Value& o) const {
    return kind == o.kind && node == o.node && object == o.object && builtin == o.builtin && text == o.text;
  }
};
using ValueKind = Value::Kind;

Value number(NodeId n) { return {ValueKind::kNumber, n, -1, Builtin::kNone, ""}; }

/// The fields of a job that are numbers, and what they can be.
struct FieldType {
  const char* name;
  Type type;
  double low, high;
};
constexpr double kInt32 = 0x1p31;
constexpr FieldType kFields[] = {
    {"submit", Type::kFloat, 0, 0},
    {"estimate", Type::kFloat, 0, 0},
    {"slowdown_processors", Type::kFloat, 0, 0},
    {"slowdown_cores", Type::kFloat, 0, 0},
    {"nodes", Type::kInt, 1, 0x1p20},
};

/// The same of an attribute of jobs.
FieldType type_of(const Attribute& a) {
  switch (a.kind) {
    case Attribute::Kind::kId: return {a.name.data(), Type::kInt, -0x1p40, 0x1p40};
    case Attribute::Kind::kCount: return {a.name.data(), Type::kInt, 1, 0x1p24};
    case Attribute::Kind::kNumber: return {a.name.data(), Type::kInt, -kInt32, kInt32};
    default: return {a.name.data(), Type::kFloat, 0, 0};
  }
}

/// Of the field of that name. Throws Refused if it is no number.
FieldType field_type(const std::string& name) {
  for (const FieldType& f : kFields)
    if (name == f.name) return f;
  const Attribute* a = find_attribute(name);
  if (a == nullptr || !a->has(Attribute::kPolicy) || a->is_text()) throw Refused{"a field that is not a number"};
  return type_of(*a);
}

struct Frame {
  const Bytecode* f = nullptr;
  int object = 0;  ///< the function
  int depth = 0;
  std::vector<Value> registers;
  std::vector<int> present;  ///< lookups that are neither nil nor false here
  /// The value is neither nil nor false from here on.
  void learn(const Value& v);
};

void Frame::learn(const Value& v) {
  if (v.kind != ValueKind::kLookup) return;
  const int lookup = v.object;
  present.push_back(lookup);
  for (Value& r : registers)
    if (r.kind == ValueKind::kLookup && r.object == lookup) r.kind = ValueKind::kKnownLookup;
}

class Recognizer {
 public:
  /// `lookups`: values in tables by numbers of the job are followed.
  Recognizer(lua_State* L, Formula& formula, Outside& outside, bool lookups)
      : L_(L), formula_(formula), outside_(outside), lookups_(lookups) {}

  Value call(int object, const std::vector<Value>& arguments, int depth) {
    if (depth > kDeepest) throw Refused{"functions call functions deeply"};
    const auto [at, is_new] = code_.try_emplace(object);
    if (is_new && !read_bytecode(L_, outside_.stack_index(object), at->second)) throw Refused{"not a Lua function"};
    const Bytecode& f = at->second;
    if (f.variadic) throw Refused{"it takes any number of arguments"};
    Frame frame{&f, object, depth, std::vector<Value>(static_cast<std::size_t>(f.registers) + 1), {}};
    for (std::size_t i = 0; i != arguments.size() && i != static_cast<std::size_t>(f.parameters); ++i)
      frame.registers[i] = arguments[i];
    return run(std::move(frame), 0, 0);
  }

 private:
  Value run(Frame frame, std::size_t pc, int top) {
    for (;;) {
      if (++steps_ > kMostSteps) throw Refused{"it is long"};
      const Decoded i(frame.f->code.at(pc++));
      const auto at = [&](int n) -> Value& { return frame.registers.at(static_cast<std::size_t>(n)); };
      if (load(frame, i)) {
        Value& loaded = at(i.a);
        if (loaded.kind == ValueKind::kLookup && std::ranges::find(frame.present, loaded.object) != frame.present.end())
          loaded.kind = ValueKind::kKnownLookup;
        if (i.op == Instruction::kLoadFalseSkip) ++pc;
        continue;
      }
      if (compute(frame, i)) {
        ++pc;
        continue;
      }
      Value condition;
      if (compare(frame, i, condition)) return branch(frame, pc, condition, i.k, i.op == Instruction::kTest ? i.a : -1);
      switch (i.op) {
        case Instruction::kNegate: at(i.a) = number(formula_.negate(node(at(i.b)))); break;
        case Instruction::kNot: at(i.a) = number(formula_.logical_not(node(truth(at(i.b))))); break;
        case Instruction::kJump:
          if (i.jump < 0) throw Refused{"it has loops"};
          pc += static_cast<std::size_t>(i.jump);
          break;
        case Instruction::kTestSet: {  // if the value's truth is k, it is kept and the jump behind it is done
          const Value value = at(i.b);
          Frame kept = frame;
          kept.registers.at(static_cast<std::size_t>(i.a)) = value;
          Frame& if_so = i.k ? kept : frame;
          if_so.learn(value);
          const Decoded jump(frame.f->code.at(pc));
          if (jump.op != Instruction::kJump || jump.jump < 0) throw Refused{"it has loops"};
          const std::size_t there = pc + 1 + static_cast<std::size_t>(jump.jump);
          const Value is = truth(value);
          const Node& c = formula_.node(node(is));
          if (c.op == Op::kConstant) return (c.value != 0) == i.k ? run(kept, there, 0) : run(frame, pc + 1, 0);
          const Value yes = i.k ? run(kept, there, 0) : run(frame, pc + 1, 0);
          return choose(is, yes, i.k ? run(frame, pc + 1, 0) : run(kept, there, 0));
        }
        case Instruction::kCall:
          if (i.c > 2 || i.c == 1) throw Refused{"a call for several results or none"};
          at(i.a) = call_in(frame, i, top);
          top = i.a + 1;
          break;
        case Instruction::kTailCall: return call_in(frame, i, top);
        case Instruction::kReturn1: return at(i.a);
        case Instruction::kReturn:
          if (i.b == 1 || (i.b == 0 && top != i.a + 1)) throw Refused{"it returns several values or none"};
          return at(i.a);
        default: throw Refused{"an instruction that is not arithmetic"};
      }
    }
  }

  Value choose(const Value& condition, const Value& yes, const Value& no) {
    if (yes.same(no)) return yes;
    return number(formula_.select(node(condition), node(yes), node(no)));
  }

  /// At a conditional jump: both ways are followed to their ends. If the condition is k, the jump behind it is done.
  /// The register `tested` (or -1: none) is the condition.
  Value branch(const Frame& frame, std::size_t pc, const Value& condition, bool k, int tested) {
    const auto target = [&](bool is) {
      if (is != k) return pc + 1;
      const Decoded jump(frame.f->code.at(pc));
      if (jump.op != Instruction::kJump || jump.jump < 0) throw Refused{"it has loops"};
      return pc + 1 + static_cast<std::size_t>(jump.jump);
    };
    const Node& c = formula_.node(node(condition));
    if (c.op == Op::kConstant) return run(frame, target(c.value != 0), 0);
    Frame if_so = frame;
    if (tested >= 0) if_so.learn(Value(frame.registers.at(static_cast<std::size_t>(tested))));
    const Value yes = run(std::move(if_so), target(true), 0);
    return choose(condition, yes, run(frame, target(false), 0));
  }

  /// The value as a condition.
  Value truth(const Value& v) {
    if (v.kind == ValueKind::kNil) return number(formula_.constant_bool(false));
    if (v.kind == ValueKind::kLookup) return number(formula_.is_present(static_cast<std::size_t>(v.object), false));
    if (v.kind != ValueKind::kNumber || formula_.node(v.node).type != Type::kBool)
      return number(formula_.constant_bool(true));
    return v;
  }

  Value builtin(Builtin b, const std::vector<Value>& arguments) {
    if (arguments.empty()) throw Refused{"an argument is missing"};
    NodeId x = node(arguments[0]);
    if (b == Builtin::kMax || b == Builtin::kMin) {
      for (std::size_t i = 1; i != arguments.size(); ++i) {
        const NodeId y = node(arguments[i]);
        const NodeId better =
            b == Builtin::kMax ? formula_.compare(Op::kLess, x, y) : formula_.compare(Op::kLess, y, x);
        x = formula_.select(better, y, x);
      }
      if (formula_.node(x).type == Type::kBool) throw Refused{"a function of a boolean"};
      return number(x);
    }
    if (arguments.size() != (b == Builtin::kPow ? 2U : 1U)) throw Refused{"another number of arguments"};
    switch (b) {
      case Builtin::kAbs: return number(formula_.function(Op::kAbs, x));
      case Builtin::kSqrt: return number(formula_.function(Op::kSqrt, x));
      case Builtin::kExp: return number(formula_.function(Op::kExp, x));
      case Builtin::kLog: return number(formula_.function(Op::kLog, x));
      case Builtin::kFloor: return number(formula_.function(Op::kFloor, x));
      case Builtin::kCeil: return number(formula_.function(Op::kCeil, x));
      case Builtin::kPow: return number(formula_.arithmetic(Op::kPower, x, node(arguments[1])));
      default: throw Refused{"a function of the library"};
    }
  }

  Value field(const Value& of, const std::string& name) {
    if (of.kind == ValueKind::kTable) return seen(outside_.field(of.object, name));
    if (of.kind == ValueKind::kLookup || of.kind == ValueKind::kKnownLookup) {
      const Lookup outer = formula_.lookups()[static_cast<std::size_t>(of.object)];
      std::vector<std::string> path = outer.path;
      path.push_back(name);
      const std::size_t l = formula_.lookup(outer.object, formula_.fields()[outer.field], path);
      if (of.kind == ValueKind::kLookup) formula_.look_behind_nothing(l);
      return {ValueKind::kLookup, -1, static_cast<int>(l), Builtin::kNone, ""};
    }
    if (of.kind != ValueKind::kJob) throw Refused{"a field of something unknown"};
    if (name == "view") return {ValueKind::kView, -1, -1, Builtin::kNone, ""};
    const FieldType f = field_type(name);
    return number(formula_.field(name, f.type, f.low, f.high));
  }

  Value seen(const Outside::Found& found) {
    using Found = Outside::Found::Kind;
    switch (found.kind) {
      case Found::kNil: return {};
      case Found::kInt: return number(formula_.outside(found.number, Type::kInt, found.most));
      case Found::kFloat: return number(formula_.outside(found.number, Type::kFloat));
      case Found::kBool: return number(formula_.outside(found.number, Type::kBool));
      case Found::kText: return {ValueKind::kText, -1, -1, Builtin::kNone, found.text};
      case Found::kTable: return {ValueKind::kTable, -1, found.object, Builtin::kNone, ""};
      case Found::kFunction: return {ValueKind::kFunction, -1, found.object, Builtin::kNone, ""};
      case Found::kBuiltin: return {ValueKind::kBuiltin, -1, -1, found.builtin, ""};
    }
    return {};
  }

  Value constant(const Constant& k) {
    switch (k.kind) {
      case Constant::Kind::kNil: return {};
      case Constant::Kind::kFalse: return number(formula_.constant_bool(false));
      case Constant::Kind::kTrue: return number(formula_.constant_bool(true));
      case Constant::Kind::kInteger: return number(formula_.constant_int(k.integer));
      case Constant::Kind::kFloat: return number(formula_.constant_float(k.number));
      case Constant::Kind::kString: return {ValueKind::kText, -1, -1, Builtin::kNone, k.text};
    }
    return {};
  }

  /// Instructions that put a value into a register.
  bool load(Frame& frame, const Decoded& i) {
    std::vector<Value>& r = frame.registers;
    const auto at = [&](int n) -> Value& { return r.at(static_cast<std::size_t>(n)); };
    const auto k = [&](int n) -> const Constant& { return frame.f->constants.at(static_cast<std::size_t>(n)); };
    switch (i.op) {
      case Instruction::kMove: at(i.a) = Value(at(i.b)); return true;
      case Instruction::kLoadI: at(i.a) = number(formula_.constant_int(i.signed_bx)); return true;
      case Instruction::kLoadF: at(i.a) = number(formula_.constant_float(i.signed_bx)); return true;
      case Instruction::kLoadK: at(i.a) = constant(k(i.bx)); return true;
      case Instruction::kLoadFalse:
      case Instruction::kLoadFalseSkip: at(i.a) = number(formula_.constant_bool(false)); return true;
      case Instruction::kLoadTrue: at(i.a) = number(formula_.constant_bool(true)); return true;
      case Instruction::kLoadNil:
        for (int n = i.a; n <= i.a + i.b; ++n) at(n) = {};
        return true;
      case Instruction::kGetUpvalue: at(i.a) = seen(outside_.upvalue(frame.object, i.b + 1)); return true;
      case Instruction::kGetGlobal:
        at(i.a) = field(seen(outside_.upvalue(frame.object, i.b + 1)), k(i.c).text);
        return true;
      case Instruction::kGetTable:
        if (at(i.c).kind == ValueKind::kText) at(i.a) = field(Value(at(i.b)), std::string(at(i.c).text));
        else at(i.a) = element(Value(at(i.b)), Value(at(i.c)));
        return true;
      case Instruction::kGetField: at(i.a) = field(Value(at(i.b)), k(i.c).text); return true;
      default: return false;
    }
  }

  /// Arithmetic. But for unary operators, an instruction that calls metamethods follows, which numbers do not have.
  bool compute(Frame& frame, const Decoded& i) {
    static const std::map<Instruction, Op> kWithConstant = {
        {Instruction::kAddK, Op::kAdd},          {Instruction::kSubK, Op::kSub}, {Instruction::kMulK, Op::kMul},
        {Instruction::kModK, Op::kMod},          {Instruction::kPowK, Op::kPow}, {Instruction::kDivK, Op::kDiv},
        {Instruction::kFloorDivK, Op::kFloorDiv}};
    static const std::map<Instruction, Op> kBinary = {
        {Instruction::kAdd, Op::kAdd},          {Instruction::kSub, Op::kSub}, {Instruction::kMul, Op::kMul},
        {Instruction::kMod, Op::kMod},          {Instruction::kPow, Op::kPow}, {Instruction::kDiv, Op::kDiv},
        {Instruction::kFloorDiv, Op::kFloorDiv}};
    const auto at = [&](int n) -> Value& { return frame.registers.at(static_cast<std::size_t>(n)); };
    if (const auto op = kWithConstant.find(i.op); op != kWithConstant.end()) {
      const NodeId k = node(constant(frame.f->constants.at(static_cast<std::size_t>(i.c))));
      at(i.a) = number(formula_.arithmetic(op->second, node(at(i.b)), k));
      return true;
    }
    if (const auto op = kBinary.find(i.op); op != kBinary.end()) {
      at(i.a) = number(formula_.arithmetic(op->second, node(at(i.b)), node(at(i.c))));
      return true;
    }
    if (i.op != Instruction::kAddI) return false;
    at(i.a) = number(formula_.arithmetic(Op::kAdd, node(at(i.b)), formula_.constant_int(i.signed_c())));
    return true;
  }

  bool compare(const Frame& frame, const Decoded& i, Value& condition) {
    const auto at = [&](int n) -> const Value& { return frame.registers.at(static_cast<std::size_t>(n)); };
    const auto is_lookup = [](const Value& v) {
      return v.kind == ValueKind::kLookup || v.kind == ValueKind::kKnownLookup;
    };
    const auto equal = [&](Value a, Value b) {
      const auto is_number = [&](const Value& v) {
        return v.kind == ValueKind::kNumber && formula_.node(v.node).type != Type::kBool;
      };
      if (is_lookup(a) && (is_number(b) || is_lookup(b))) a = number(node(a));
      if (is_lookup(b) && is_number(a)) b = number(node(b));
      const bool nil = b.kind == ValueKind::kNil;
      if (a.kind == ValueKind::kLookup && nil)
        return formula_.logical_not(formula_.is_present(static_cast<std::size_t>(a.object), true));
      if (a.kind == ValueKind::kNumber && b.kind == ValueKind::kNumber) {
        const bool x = formula_.node(a.node).type == Type::kBool, y = formula_.node(b.node).type == Type::kBool;
        return x == y ? formula_.compare(Op::kEqual, a.node, b.node) : formula_.constant_bool(false);
      }
      if (a.kind == ValueKind::kText && b.kind == ValueKind::kText) return formula_.constant_bool(a.text == b.text);
      if (a.kind == ValueKind::kNil || b.kind == ValueKind::kNil) return formula_.constant_bool(a.kind == b.kind);
      throw Refused{"a comparison of something unknown"};
    };
    const auto immediate = [&] { return formula_.constant_int(i.signed_b()); };
    switch (i.op) {
      case Instruction::kEq: condition = number(equal(at(i.a), at(i.b))); return true;
      case Instruction::kEqK:
        condition = number(equal(at(i.a), constant(frame.f->constants.at(static_cast<std::size_t>(i.b)))));
        return true;
      case Instruction::kEqI: condition = number(equal(at(i.a), number(immediate()))); return true;
      case Instruction::kLt: condition = number(formula_.compare(Op::kLess, node(at(i.a)), node(at(i.b)))); return true;
      case Instruction::kLe:
        condition = number(formula_.compare(Op::kLessEqual, node(at(i.a)), node(at(i.b))));
        return true;
      case Instruction::kLtI: condition = number(formula_.compare(Op::kLess, node(at(i.a)), immediate())); return true;
      case Instruction::kLeI:
        condition = number(formula_.compare(Op::kLessEqual, node(at(i.a)), immediate()));
        return true;
      case Instruction::kGtI: condition = number(formula_.compare(Op::kLess, immediate(), node(at(i.a)))); return true;
      case Instruction::kGeI:
        condition = number(formula_.compare(Op::kLessEqual, immediate(), node(at(i.a))));
        return true;
      case Instruction::kTest: condition = truth(at(i.a)); return true;
      default: return false;
    }
  }

  Value call_in(const Frame& frame, const Decoded& i, int top) {
    const int end = i.b == 0 ? top : i.a + i.b;
    std::vector<Value> arguments;
    for (int n = i.a + 1; n < end; ++n) arguments.push_back(frame.registers.at(static_cast<std::size_t>(n)));
    const Value& f = frame.registers.at(static_cast<std::size_t>(i.a));
    if (f.kind == ValueKind::kBuiltin) return builtin(f.builtin, arguments);
    if (f.kind == ValueKind::kFunction) return call(f.object, arguments, frame.depth + 1);
    throw Refused{"it calls something unknown"};
  }

  NodeId node(const Value& v) const {
    if (v.kind == ValueKind::kLookup || v.kind == ValueKind::kKnownLookup)
      return formula_.looked_up(static_cast<std::size_t>(v.object), v.kind == ValueKind::kKnownLookup);
    if (v.kind != ValueKind::kNumber) throw Refused{"not a number"};
    return v.node;
  }

  /// of[key], where the key is no name.
  Value element(const Value& of, const Value& key) {
    if (!lookups_ || of.kind != ValueKind::kTable) throw Refused{"a table with keys that are computed"};
    if (key.kind == ValueKind::kView) return seen(outside_.field_of_view(of.object));
    if (key.kind != ValueKind::kNumber) throw Refused{"a table with keys that are computed"};
    const Node& n = formula_.node(key.node);
    if (n.op != Op::kField || n.type != Type::kInt) throw Refused{"a table with keys that are computed"};
    const std::string& name = formula_.fields()[static_cast<std::size_t>(n.value)];
    return {ValueKind::kLookup, -1, static_cast<int>(formula_.lookup(of.object, name, {})), Builtin::kNone, ""};
  }

  lua_State* L_;
  Formula& formula_;
  Outside& outside_;
  bool lookups_;
  std::map<int, Bytecode> code_;  ///< by object
  int steps_ = 0;
};

/// What the function is called with, as symbols.
std::vector<Value> arguments_of(Signature signature, Formula& formula) {
  constexpr double kMostOwners = 0x1p31;
  Value job, params;
  job.kind = ValueKind::kJob;
  params.kind = ValueKind::kTable;
  params.object = Outside::kParams;
  if (signature == Signature::kJob) return {job, number(formula.now()), params, number(formula.share())};
  if (signature == Signature::kEntry) return {job, params};
  return {number(formula.share()), number(formula.given(0, Type::kFloat, 0, 0)),
          number(formula.given(1, Type::kInt, 1, kMostOwners)), params};
}

}  // namespace

void recognize(lua_State* L, int base, Signature signature, bool boolean, Formula& formula, Outside& outside) {
  outside.begin(L, base);
  Recognizer recognizer(L, formula, outside, boolean);
  const Value result = recognizer.call(Outside::kFunction, arguments_of(signature, formula), 0);
  if (result.kind != ValueKind::kNumber) throw Refused{"its result is not a number"};
  if ((formula.node(result.node).type == Type::kBool) != boolean) throw Refused{"its result has another type"};
  formula.set_result(result.node);
}

}  // namespace coslice::formula
