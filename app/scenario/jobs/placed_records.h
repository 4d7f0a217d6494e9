#pragma once

#include "core/codec.h"
#include "scenario/scenario.h"

namespace coslice {

/// Returns a list of tables, of which each knows its place. An empty one is not written.
template <class R, class Field>
Codec<Scenario> placed_records(Field field, const std::vector<Key<R>>& keys) {
  Codec<Scenario> c = codec::records<Scenario, R>(field, keys);
  c.read = [read = c.read, field](Scenario& s, const Value& v, const std::string& path) {
    read(s, v, path);
    for (std::size_t i = 0; i < field(s).size(); ++i) field(s)[i].place = (*v.list())[i].place;
  };
  c.write = [write = c.write, field](const Scenario& s) -> std::optional<Value> {
    return field(const_cast<Scenario&>(s)).empty() ? std::nullopt : write(s);
  };
  return c;
}

}  // namespace coslice
