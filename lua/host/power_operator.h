// The power function of scripts: math.pow and the operator ^.
#pragma once

namespace coslice::luahost {

/// Returns x^y with the special cases of C's pow and the same bits on every machine.
double power(double x, double y);

}  // namespace coslice::luahost
