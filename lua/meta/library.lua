---@meta
-- The Lua that every script runs in: Lua 5.4 without what reaches outside, and with a few functions more. Each script and
-- each module has globals of its own; library tables and what the engine hands over are read-only.

---What a script finds. Functions that differ from those of the [manual of Lua 5.4](https://www.lua.org/manual/5.4/), or are
---not in it, are described below; the others are as there.
---
---| where | |
---| --- | --- |
---| globals | `_G`, `_VERSION`, `assert`, `error`, `getmetatable`, `ipairs`, `load`, `pairs`, `pcall`, `print`, `rawequal`, `rawget`, `rawlen`, `rawset`, `require`, `select`, `setmetatable`, `tonumber`, `tostring`, `type`, `xpcall` |
---| `coroutine` | `close`, `create`, `isyieldable`, `resume`, `running`, `status`, `wrap`, `yield` |
---| `math` | `abs`, `ceil`, `clamp`, `cos`, `exp`, `floor`, `fmod`, `huge`, `log`, `max`, `maxinteger`, `min`, `mininteger`, `modf`, `pi`, `pow`, `random`, `randomseed`, `round`, `sin`, `sqrt`, `tan`, `tointeger`, `type`, `ult` |
---| `string` | `byte`, `char`, `find`, `format`, `gmatch`, `gsub`, `len`, `lower`, `match`, `rep`, `reverse`, `sub`, `upper` |
---| `table` | `concat`, `copy`, `insert`, `is_empty`, `keys`, `move`, `pack`, `remove`, `sort`, `unpack` |
---| `utf8` | `char`, `charpattern`, `codepoint`, `codes`, `len`, `offset` |
---| `random` | `exponential`, `gamma`, `lognormal`, `normal`, `uniform`: in policies, workload and program scripts, and suites |
---
---Not there: `os`, `io`, `debug`, `package`, `dofile`, `loadfile`, `collectgarbage`, `next`, `warn`, `string.dump`, `string.pack`,
---`string.packsize`, `string.unpack`, `math.acos`, `math.asin`, `math.atan`. `math.randomseed` is an error: the seed is the
---scenario's.
---
---| what | here |
---| --- | --- |
---| `pairs` | numbers in ascending order, then strings by bytes, then false, true; a key of another type is an error |
---| `next(t) == nil` | `table.is_empty(t)` |
---| `table.sort` | is stable; no comparison can lead it astray |
---| `tostring`, `%s`, `print` | never an address: a table without `__tostring` is `table`; `%p` is an error |
---| `setmetatable` | refuses `__gc` and `__mode`; set later, they are fields like any other: there are no weak tables and no finalisers |
---| `load` | takes text only, given as a string; the chunk sees the caller's globals |
---| `require` | looks beside the script and among the modules that come with coslice; letters, digits, `_`, `-`, folders divided by dots |
---| `math.random` | draws from the run's stream; an error where there is none |
---| `math.exp`, `math.log`, `math.pow`, `math.sin`, `math.cos`, `math.tan`, `^` | give the same bits on every machine |
---| `pcall`, `xpcall`, coroutines | do not catch a used up limit |
---
---**What work costs.** Each call of a script by the engine (loading it, a hook, a pass) may do this many units of work:
---`engine.instructions` of the scenario. An instruction of Lua is a unit. Functions that loop are charged for it:
---library functions by what they go through (patterns by their steps, strings by their bytes), methods of a view by the
---jobs that they look at. So the same script stops at the same place on every machine. `engine.memory` bounds what it
---keeps.
---@class coslice.Lua

---Returns the keys of a table, in the order of `pairs`.
---@param t table
---@return any[]
function table.keys(t) end

---Returns a copy of a table, one level deep.
---@param t table
---@return table
function table.copy(t) end

---Returns whether a table has no field.
---@param t table
---@return boolean
function table.is_empty(t) end

---Returns x to the power y, as `x ^ y`.
---@param x number
---@param y number
---@return number
function math.pow(x, y) end

---Returns x, but at least `low` and at most `high`.
---@param x number
---@param low number
---@param high number
---@return number
function math.clamp(x, low, high) end

---Returns the nearest whole number; halves are rounded away from zero.
---@param x number
---@return integer
function math.round(x) end
