// exp, log and their kin with the same bits on every machine. The C library's versions differ between processors
// (fused multiply-add or not) and releases; these use only +, -, *, / of IEEE doubles, each rounded once. The build
// must not contract them (-ffp-contract=off). Whatever draws random numbers uses these.
#pragma once

namespace coslice {

/// e^x; error below 1 ulp.
double portable_exp(double x);
/// 2^x; exact for whole x; error below 1 ulp.
double portable_exp2(double x);
/// Natural logarithm; error below 1 ulp. -infinity for 0, NaN below.
double portable_log(double x);
/// Logarithm to base 2; exact for powers of two; error below 1 ulp.
double portable_log2(double x);
/// x^y for x >= 0; error below 1 ulp. NaN for x < 0, also where y is whole.
double portable_pow(double x, double y);

/// ln Gamma(x) for x > 0; relative error below 1e-14 away from its zeros 1 and 2, absolute below 1e-14 near them.
double portable_log_gamma(double x);
/// P(a, x): the regularised lower incomplete gamma function, the CDF at x of a gamma variate of shape a > 0 and
/// scale 1. Absolute error below 1e-12 for a up to 1000.
double portable_gamma_p(double a, double x);

}  // namespace coslice
