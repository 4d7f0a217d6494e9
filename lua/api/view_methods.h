// The methods of a view in Lua.
#pragma once

struct lua_State;

namespace coslice {

class ViewObject;

/// The object that the first argument is; raises a Lua error if it is none.
ViewObject& view_object(lua_State* L);
/// The object that the first upvalue is: that of a function which a method has made, with its view.
ViewObject& own_view(lua_State* L);
/// Pushes the table of methods.
void push_view_methods(lua_State* L);
/// Adds those of queue_methods.cpp to the table on the top of the stack.
void add_queue_methods(lua_State* L);
/// Adds those of clock_methods.cpp.
void add_clock_methods(lua_State* L);
/// Adds those of stop_methods.cpp.
void add_stop_methods(lua_State* L);
/// Adds those of place_methods.cpp.
void add_place_methods(lua_State* L);
/// Adds those of queue_iterators.cpp.
void add_queue_iterators(lua_State* L);
/// Adds that of plan_method.cpp.
void add_plan_method(lua_State* L);

}  // namespace coslice
