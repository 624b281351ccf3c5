// exp, log, log1p and log Gamma: their errors, their edges, and that their bits are the same on every processor.
#include <bit>
#include <cstdint>
#include <limits>

#include "digest.hpp"
#include "elementary/functions.hpp"
#include "harness.hpp"
#include "pitman_yor/random.hpp"

using namespace binyan;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Values to 60 digits by mpmath, rounded once.
struct Value {
  double x, y;
};
const Value kExp[] = {
    {0x1.0000000000000p-1, 0x1.a61298e1e069cp+0},     {-0x1.0000000000000p-1, 0x1.368b2fc6f960ap-1},
    {0x1.0000000000000p+0, 0x1.5bf0a8b145769p+1},     {-0x1.0000000000000p+0, 0x1.78b56362cef38p-2},
    {0x1.56e1fc2f8f359p-997, 0x1.0000000000000p+0},   {-0x1.70ef54646d497p-57, 0x1.0000000000000p+0},
    {0x1.62d999999999ap+9, 0x1.d75ae7a50ee14p+1023},  {-0x1.621999999999ap+9, 0x1.378faeaa24275p-1022},
    {-0x1.7220000000000p+9, 0x0.0000000000042p-1022}, {-0x1.748cccccccccdp+9, 0x0.0000000000001p-1022},
    {0x1.9100000000000p+6, 0x1.8c39b9134bac4p+144},   {-0x1.0900000000000p+5, 0x1.2842e9eb40b91p-48},
    {-0x1.8effdaca099aap+8, 0x1.49cfbd96968fcp-576},  {0x1.72796ee9a27e0p+5, 0x1.c0e17449fd6b9p+66},
    {-0x1.9e2b9dbd8dd74p+7, 0x1.2e2c0c2cd512cp-299},  {0x1.0a33109cd1868p+7, 0x1.03fe3874ac5aap+192},
    {0x1.49983a9ca3c54p+7, 0x1.af3841a59d2d0p+237},   {-0x1.44dc4afeb7553p+9, 0x1.91e57536ce2c9p-938},
    {-0x1.6aed475c893fbp+9, 0x0.000000708c867p-1022}, {0x1.d8ae177408714p+8, 0x1.e8d1bc5c0b4f4p+681},
    {-0x1.6fe6361c6517bp+8, 0x1.2cfcad9d9d877p-531},  {-0x1.944864716687fp+8, 0x1.ac864f33d8d02p-584},
    {0x1.5f55739dcbbb6p+9, 0x1.aa19a23a4c988p+1013},  {-0x1.e9e516e36c8b0p+5, 0x1.92ca5af14671fp-89},
};
const Value kLog[] = {
    {0x0.0000000000001p-1022, -0x1.74385446d71c3p+9}, {0x0.012688b70e62bp-1022, -0x1.64e69394d9508p+9},
    {0x1.0000000000000p-1022, -0x1.6232bdd7abcd2p+9}, {0x1.70ef54646d497p-57, -0x1.3926cd770aa67p+5},
    {0x1.0000000000000p-1, -0x1.62e42fefa39efp-1},    {0x1.6000000000000p-1, -0x1.7fafa3bd8151cp-2},
    {0x1.fe00000000000p-1, -0x1.0080559588b35p-8},    {0x1.fffffffffffffp-1, -0x1.0000000000000p-53},
    {0x1.0000000000001p+0, 0x1.fffffffffffffp-53},    {0x1.000000006df38p+0, 0x1.b7cdffffa18d8p-34},
    {0x1.ffffffff24190p-1, -0x1.b7ce00005e728p-34},   {0x1.0200000000000p+0, 0x1.fe02a6b106789p-8},
    {0x1.6000000000000p+0, 0x1.4618bc21c5ec2p-2},     {0x1.4000000000000p+3, 0x1.26bb1bbb55516p+1},
    {0x1.e42d130773b76p+1023, 0x1.62dd08fdc6f88p+9},  {0x1.ac44ace32d283p+0, 0x1.07760682bd968p-1},
    {0x1.e7c922b2d54e4p-1, -0x1.8ce3d5f0c13c7p-5},    {0x1.4733f0771afc7p+0, 0x1.f695d74a80de0p-3},
    {0x1.3476623b5f3d8p-2, -0x1.332acb37399bcp+0},    {0x1.450c74c9b42e5p+0, 0x1.e90ea1eea31e6p-3},
    {0x1.bc706f3b40e36p+0, 0x1.1a70025813a73p-1},     {0x1.0bde6858f4b92p+0, 0x1.73427c05c67f6p-5},
    {0x1.7b855d00f82a0p+0, 0x1.932e9322395bcp-2},     {0x1.57c33eb1be368p+0, 0x1.2dd9417d64b82p-2},
    {0x1.0645d4519cde0p-3, -0x1.0711e7a5ca2acp+1},
};
const Value kLog1p[] = {
    {0x0.012688b70e62bp-1022, 0x0.012688b70e62bp-1022}, {-0x1.79ca10c924223p-67, -0x1.79ca10c924223p-67},
    {0x1.12e0be826d695p-30, 0x1.12e0be801f1d9p-30},     {-0x1.0000000000000p-7, -0x1.010157588de71p-7},
    {0x1.0000000000000p-7, 0x1.fe02a6b106789p-8},       {0x1.0000000000000p-1, 0x1.9f323ecbf984cp-2},
    {-0x1.0000000000000p-1, -0x1.62e42fefa39efp-1},     {-0x1.fffffffffffffp-1, -0x1.25e4f7b2737fap+5},
    {0x1.0000000000000p+0, 0x1.62e42fefa39efp-1},       {0x1.1c37937e08000p+53, 0x1.26bb1bbb55516p+5},
    {0x1.7e43c8800759cp+996, 0x1.5963447f87fb5p+9},     {0x1.086d827a8f438p-1, 0x1.aa5f416bd267fp-2},
    {0x1.7524d615e8718p-3, 0x1.56c970a47b961p-3},       {-0x1.9700fb384ce84p-2, -0x1.0362410ec963ep-1},
    {-0x1.e03e7496953dep-1, -0x1.63def753e28b1p+1},     {0x1.764cc5a27cbcap-1, 0x1.18f33c7b22b11p-1},
    {-0x1.be7a9b3df3f80p-5, -0x1.cb1b5b93a930ep-5},     {0x1.c026c1eb8f624p-2, 0x1.73b8754570ee4p-2},
    {0x1.83e780b19d286p-1, 0x1.20bfdd3b72662p-1},       {0x1.b68984c9c1804p-2, 0x1.6d02da7381cb5p-2},
    {0x1.af347d36a5cd6p-1, 0x1.38cfa055bfe91p-1},
};
const Value kLogGamma[] = {
    {0x0.0000000000001p-1022, 0x1.74385446d71c3p+9}, {0x1.79ca10c924223p-67, 0x1.7069e2aa2aa5bp+5},
    {0x1.999999999999ap-4, 0x1.2058e35f3deeep+1},    {0x1.0000000000000p-1, 0x1.250d048e7a1bdp-1},
    {0x1.8000000000000p-1, 0x1.a051c372609eep-3},    {0x1.fffffff768fa1p-1, 0x1.3d53e177e75eep-31},
    {0x1.000000044b830p+0, -0x1.3d53e3b7cd00bp-31},  {0x1.4000000000000p+0, -0x1.92857d38caf41p-4},
    {0x1.762d86356be3ep+0, -0x1.f19b9bcc38a42p-4},   {0x1.8000000000000p+0, -0x1.eeb95b094c191p-4},
    {0x1.c000000000000p+0, -0x1.59b4fd6875a6ep-4},   {0x1.0000000225c18p+1, 0x1.d0db38872ccf9p-32},
    {0x1.4000000000000p+1, 0x1.2383e809a67e8p-2},    {0x1.c000000000000p+1, 0x1.3373018970a36p+0},
    {0x1.ffef9db22d0e5p+2, 0x1.10bd9c3b52f7dp+3},    {0x1.0000000000000p+3, 0x1.10ce1f32dcc30p+3},
    {0x1.5000000000000p+3, 0x1.be199a0f64394p+3},    {0x1.34a0000000000p+10, 0x1.d7e8d07da60e4p+12},
    {0x1.c6bf526340000p+49, 0x1.dc9d5b94e12f3p+54},  {0x1.7e43c8800759cp+996, 0x1.017f38e7a1ab5p+1006},
    {0x1.2f54f705e66c7p+2, 0x1.658ff515fdf42p+1},    {0x1.338c892bb110ep+3, 0x1.7de14ff39596dp+3},
    {0x1.55780e7c8d916p+2, 0x1.d90439ecf5a0ap+1},    {0x1.6743eac6706cap+3, 0x1.f4815ce293a3cp+3},
    {0x1.517c1bb18b817p+3, 0x1.c185deff5b90bp+3},    {0x1.2b61300dc7ccap+0, -0x1.371311276743ep-4},
    {0x1.a1b2433e0904ap+0, -0x1.bb1aa3107e8bfp-4},   {0x1.4d4abcb1884aep+1, 0x1.70f2f56263581p-2},
    {0x1.72be8f40420aep+3, 0x1.07f7da0e82693p+4},    {0x1.4ef8e98ac807cp+2, 0x1.c4a73b2f34fd5p+1},
};

template <size_t N, class F>
void check_values(const Value (&values)[N], int64_t most, F f) {
  for (const auto& [x, y] : values) {
    const int64_t apart = std::bit_cast<int64_t>(f(x)) - std::bit_cast<int64_t>(y);
    CHECK(apart >= -most && apart <= most);
  }
}

double exponential(double x) { return elementary::exp(x); }
double logarithm(double x) { return elementary::log(x); }

// The largest error over numbers drawn from [low, high], in units in the last place of the exact result.
template <class F, class Exact>
double largest_error(F f, Exact exact, double low, double high) {
  pitman_yor::Random random(5);
  double largest = 0.0;
  for (int i = 0; i < 20'000; ++i) {
    const double x = low + (high - low) * random.uniform();
    const long double y = exact(static_cast<long double>(x));
    const int exponent = std::max(std::ilogb(static_cast<double>(y)), -1022);
    const long double error = std::abs(static_cast<long double>(f(x)) - y);
    largest = std::max(largest, static_cast<double>(std::ldexp(error, 52 - exponent)));
  }
  return largest;
}

}  // namespace

TEST(values_of_other_software) {
  check_values(kExp, 0, exponential);
  check_values(kLog, 0, logarithm);
  check_values(kLog1p, 0, elementary::log1p);
  check_values(kLogGamma, 6, elementary::lgamma);
}

TEST(errors_are_those_stated) {
  if constexpr (std::numeric_limits<long double>::digits == 64) {  // longer ones are not computed well everywhere
    const auto exact_exp = [](long double x) { return std::exp(x); };
    const auto exact_log = [](long double x) { return std::log(x); };
    const auto exact_log1p = [](long double x) { return std::log1p(x); };
    const auto exact_lgamma = [](long double x) { return std::lgamma(x); };
    for (const auto& [low, high] : {Value{-1, 1}, {-50, 0}, {-745, -640}, {640, 709.78}})
      CHECK(largest_error(exponential, exact_exp, low, high) < 0.51);
    for (const auto& [low, high] : {Value{0, 1}, {0.5, 2}, {0.98, 1.02}, {0.9999, 1.0001}, {1, 1e9}, {0, 1e-307}})
      CHECK(largest_error(logarithm, exact_log, low, high) < 0.51);
    for (const auto& [low, high] : {Value{-1, 1}, {-0.02, 0.02}, {-1e-9, 1e-9}, {1, 1e9}})
      CHECK(largest_error(elementary::log1p, exact_log1p, low, high) < 0.51);
    for (const auto& [low, high] : {Value{3.5, 8}, {8, 50}, {50, 1e9}, {0, 0.5}})
      CHECK(largest_error(elementary::lgamma, exact_lgamma, low, high) < 1.5);
    CHECK(largest_error(elementary::lgamma, exact_lgamma, 0.5, 3.5) < 6.0);  // where it is near 0
  }
}

TEST(edges) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double (*f)(double) : {exponential, logarithm, elementary::log1p, elementary::lgamma}) {
    CHECK(std::isnan(f(nan)));
    CHECK(f(kInfinity) == kInfinity);
  }
  CHECK(elementary::exp(0.0) == 1.0 && elementary::exp(-0.0) == 1.0);
  CHECK(elementary::exp(-kInfinity) == 0.0 && elementary::exp(-746.0) == 0.0 && elementary::exp(-1e300) == 0.0);
  CHECK(elementary::exp(709.782712893384) < kInfinity && elementary::exp(709.7827128933841) == kInfinity);
  CHECK(elementary::exp(-745.1332191019411) == 5e-324 && elementary::exp(1e300) == kInfinity);
  CHECK(elementary::log(0.0) == -kInfinity && elementary::log(-0.0) == -kInfinity && elementary::log(1.0) == 0.0);
  CHECK(std::isnan(elementary::log(-5e-324)) && std::isnan(elementary::log(-kInfinity)));
  CHECK(elementary::log1p(-1.0) == -kInfinity && std::isnan(elementary::log1p(-1.5)));
  CHECK(elementary::log1p(0.0) == 0.0 && std::signbit(elementary::log1p(-0.0)) && elementary::log1p(5e-324) == 5e-324);
  CHECK(elementary::lgamma(0.0) == kInfinity && elementary::lgamma(1.0) == 0.0 && elementary::lgamma(2.0) == 0.0);
  CHECK(std::isnan(elementary::lgamma(-0.5)) && elementary::lgamma(1e306) == kInfinity);
  CHECK(elementary::exp(0.5f) == 1.64872127f && elementary::log(2.0f) == 0.6931472f);
}

TEST(the_same_bits_everywhere) {
  pitman_yor::Random random(9);
  Digest digest;
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.uniform();
    digest.add(elementary::exp(1450 * u - 740));
    digest.add(elementary::exp(-30 * u));
    digest.add(elementary::log(u));
    digest.add(elementary::log(elementary::exp(1400 * u - 700)));
    digest.add(elementary::log1p(4 * u - 1));
    digest.add(elementary::lgamma(12 * u));
    digest.add(elementary::lgamma(elementary::exp(40 * u - 20)));
  }
  CHECK_DIGEST(digest, 0x5aa91849d2f1aa83);
}

MAIN
