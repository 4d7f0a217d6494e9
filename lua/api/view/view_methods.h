// The methods of a view in Lua.
#pragma once

struct lua_State;

namespace coslice {

class JobDemands;
class View;
class ViewObject;

/// Returns the object that the first argument is; raises a Lua error if it is none.
ViewObject& view_object(lua_State* L);
/// Returns the object that the value at a stack index is; raises a Lua error if it is none.
ViewObject& view_object_at(lua_State* L, int index);
/// Returns the object that the first upvalue is: that of a function which a method has made, with its view.
ViewObject& own_view(lua_State* L);
/// Returns the kinds of nodes; raises a Lua error where all nodes are equal. `of` is the method: "view:kinds".
const JobDemands& demands_of(lua_State* L, const View& view, const char* of);
/// Raises a Lua error where no place can be said at which a job is to start (NodeAvailability::directs).
void check_directs(lua_State* L, View& view, const char* of);
/// Pushes the table of methods.
void push_view_methods(lua_State* L);
/// Adds those of queue_methods.cpp to the table on the top of the stack.
void add_queue_methods(lua_State* L);
/// Adds those of clock_methods.cpp.
void add_clock_methods(lua_State* L);
/// Adds those of stop_methods.cpp.
void add_stop_methods(lua_State* L);
/// Adds those of elastic_methods.cpp.
void add_elastic_methods(lua_State* L);
/// Adds those of place_methods.cpp.
void add_place_methods(lua_State* L);
/// Adds those of queue_iterators.cpp.
void add_queue_iterators(lua_State* L);
/// Adds that of units_object.cpp.
void add_units_method(lua_State* L);
/// Adds that of plan_method.cpp.
void add_plan_method(lua_State* L);

}  // namespace coslice
