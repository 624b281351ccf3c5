// The numbers that exp, log and lgamma are made of (tools/make_elementary_tables.py).
#pragma once

namespace binyan::elementary {

// 2^(i / 128), and what is missing from it as a share of it.
struct Power {
  double value, missing;
};
extern const Power kPowers[128];

// A bin of mantissas: a number of ten bits near the inverse of its middle, and minus the logarithm of that number in
// two parts, of which the first is a multiple of 2^-42.
struct LogBin {
  double inverse, log_high, log_low;
};
extern const LogBin kLogBins[128];

extern const double kLogRest[6];           // (log(1 + r) - r + r^2 / 2) / r^3 for |r| < 1/128
extern const double kLogGammaNearTwo[22];  // log Gamma(2 + y) / y for |y| <= 1/2
extern const double kStirling[8];          // x times the rest of Stirling's series, in 1 / x^2, for x >= 8

}  // namespace binyan::elementary
