-- Parameters with conditions of their own (`check`): a value that is none ends before the run, with where it stands.
describe("a parameter with a check", function()
  local function policy(check, default)
    return { api = 1, name = "checked", version = "1", params = {
      pairs = { default = default or "a=1", check = check, doc = "Pairs." },
      other = { default = 3, doc = "Another one." },
    } }
  end
  local function run(check, params, default)
    return simulate { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=1} }, policy = policy(check, default),
      params = params }
  end
  local function even(text, params)
    if #text % 2 ~= params.other % 2 then return "a text as even as 'other' is" end
  end

  it("takes what the check takes, beside the values of the others", function()
    expect(#run(even).jobs).equals(1)
    expect(#run(even, { pairs = "ab", other = 4 }).jobs).equals(1)
  end)

  it("refuses other values, with what the check expects", function()
    expect(function() run(even, { pairs = "ab" }) end)
      .raises "parameter 'pairs' of policy 'checked' is \"ab\"; expected a text as even as 'other' is"
    expect(function() run(even, { other = 4 }) end).raises "parameter 'pairs': its default is \"a=1\""
  end)

  it("is declared with a function, which returns words or nothing", function()
    expect(function() run("even") end).raises "check"
    expect(function() run(function() return 3 end) end).raises "the check of parameter 'pairs' of policy 'checked'"
  end)
end)

describe("parameters of the shipped policies that are lists", function()
  local function refused(policy, name, value, words)
    expect(function()
      simulate { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=1} }, policy = policy, params = { [name] = value } }
    end).raises(words)
  end

  it("are refused where they are none, before the run", function()
    for _, quotas in ipairs { "1:8", "1=8 2", "1=8, 1=4", "a=8", "1=-8", "1=99999999999999999999", "," } do
      refused("user_limits", "gpu_quotas", quotas, "expected groups, each once, and their GPUs, as 1=8, 4=16")
    end
    local words = { PriorityFlags = "INCR_ONLI", PreemptMode = "REQEUE", AccountingStorageEnforce = "limit",
      PriorityUsageResetPeriod = "HOURLY", PriorityType = "priority/none", PreemptType = "preempt/tier",
      PriorityWeightTRES = "CPU:10" }
    for name, value in pairs(words) do
      refused("slurm", name, value, ("parameter '%s' of policy 'slurm' is \"%s\"; expected"):format(name, value))
    end
  end)

  it("are taken as they may be written", function()
    for _, quotas in ipairs { "", " 1=8 ,4 = 16", "1=8 4=16,", "01=8" } do
      expect(#simulate { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=1} }, policy = "user_limits",
        params = { gpu_quotas = quotas } }.jobs).equals(1)
    end
    for name, value in pairs { PriorityFlags = "incr_only, Max_TRES", PreemptMode = "SUSPEND,GANG",
        AccountingStorageEnforce = "Limits,qos", PriorityUsageResetPeriod = "daily",
        PriorityWeightTRES = "CPU=1.5, Mem=0.25G,GRES/gpu=2" } do
      expect(#simulate { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=1} }, policy = "slurm",
        params = { [name] = value } }.jobs).equals(1)
    end
  end)
end)
