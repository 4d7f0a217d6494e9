-- The test library: describe, it, property, hooks (lua/meta/test.lua documents what suites call).
-- The engine calls the returned function with what a suite cannot do by itself, installs the globals that come back,
-- runs the suite to collect its cases, and asks `collected` for them.
return function(engine)
  local expectations = require("test_expect")(engine)
  local properties = require("test_property")(engine)

  local root = { name = "", before = {}, after = {} }
  local group = root  -- the describe block that is being read
  local cases = {}
  local open = true   -- cases can be added: the suite is being read

  local function check_open(what)
    if not open then engine.fail(what .. " is inside a case; it belongs in the suite or a describe block") end
  end

  local function check_declaration(what, name, body, body_needed)
    check_open(what)
    local usage = what .. '("name", function() ... end)'
    if type(name) ~= "string" or name == "" then engine.fail(what .. " needs a name: " .. usage) end
    if body_needed and type(body) ~= "function" then engine.fail(what .. " needs a function: " .. usage) end
  end

  --- Names read as a sentence: "easy lets a small job pass".
  local function full_name(parent, name)
    return parent.name == "" and name or parent.name .. " " .. name
  end

  local function add_group(what, name, body, fields)
    check_declaration(what, name, body, true)
    local outer = group
    group = { parent = outer, name = full_name(outer, name), before = {}, after = {},
              skip = fields.skip or outer.skip, only = fields.only or outer.only }
    body()
    group = outer
  end

  local function add_case(what, name, body, fields)
    check_declaration(what, name, body, not fields.pending)
    cases[#cases + 1] = { name = full_name(group, name), line = engine.line(), group = group, body = body,
                          skip = fields.skip or group.skip, only = fields.only or group.only, pending = fields.pending }
  end

  --- "it.skip(name, reason, body)": the reason may be left out.
  local function split_reason(reason, body)
    if body == nil and type(reason) == "function" then return "skipped here", reason end
    return reason or "skipped here", body
  end

  local describe = setmetatable({
    only = function(name, body) add_group("describe.only", name, body, { only = true }) end,
    skip = function(name, reason, body)
      reason, body = split_reason(reason, body)
      add_group("describe.skip", name, body, { skip = reason })
    end,
  }, { __call = function(_, name, body) add_group("describe", name, body, {}) end })

  local it = setmetatable({
    only = function(name, body) add_case("it.only", name, body, { only = true }) end,
    skip = function(name, reason, body)
      reason, body = split_reason(reason, body)
      add_case("it.skip", name, body, { skip = reason })
    end,
  }, { __call = function(_, name, body) add_case("it", name, body, {}) end })

  local function pending(name, reason)
    add_case("pending", name, nil, { pending = reason or "not written yet" })
  end

  local function add_hook(what, list, hook)
    check_open(what)
    if type(hook) ~= "function" then engine.fail(what .. " needs a function") end
    list[#list + 1] = hook
  end
  local function before_each(hook) add_hook("before_each", group.before, hook) end
  local function after_each(hook) add_hook("after_each", group.after, hook) end

  local function property(name, options, body)
    if body == nil then options, body = {}, options end
    check_declaration("property", name, body, true)
    local settings = properties.settings(options)
    add_case("property", name, function() properties.check(settings, body) end, {})
  end

  --- The hooks around a case: outer blocks come first before it and last after it.
  local function hooks_around(case)
    local before, after = {}, {}
    local block = case.group
    while block do
      for i = #block.before, 1, -1 do table.insert(before, 1, block.before[i]) end
      for _, hook in ipairs(block.after) do after[#after + 1] = hook end
      block = block.parent
    end
    return before, after
  end

  local function any_only()
    for _, case in ipairs(cases) do
      if case.only then return true end
    end
    return false
  end

  --- How a case is to be treated, and why it is not run.
  local function mode_of(case, some_only)
    if some_only and not case.only then return "left out", "others are marked with 'only'" end
    if case.pending then return "pending", case.pending end
    if case.skip then return "skip", case.skip end
    return "run"
  end

  --- The suite has been read: its cases for the engine.
  local function collected()
    open = false
    local some_only = any_only()
    for _, case in ipairs(cases) do
      case.before, case.after = hooks_around(case)
      case.mode, case.reason = mode_of(case, some_only)
      local body = case.body
      case.body = body and function()
        expectations.start()
        body()
        expectations.finish()
      end
    end
    return cases
  end

  local globals = {
    describe = describe, it = it, pending = pending, property = property,
    before_each = before_each, after_each = after_each,
    expect = expectations.expect, simulate = engine.simulate, compare = engine.compare, job = engine.job,
    skip = engine.skip,
  }
  return { globals = globals, collected = collected }
end
