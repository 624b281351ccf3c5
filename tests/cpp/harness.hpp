// A test harness in one header. TEST(name) { ... } registers a test, CHECK and its relatives fail it and go on to the
// next one. A test program runs all its tests, or those whose name contains its argument.
#pragma once
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace harness {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

struct Registration {
  Registration(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool holds, const char* file, int line, const std::string& what) {
  if (!holds) throw Failure(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

inline void near(double x, double y, double tolerance, const char* file, int line) {
  char message[160];
  std::snprintf(message, sizeof message, "%.17g is not within %g of %.17g", x, tolerance, y);
  require(std::abs(x - y) <= tolerance * (1.0 + std::abs(y)), file, line, message);
}

inline int run(const std::string& filter) {
  int failed = 0, count = 0;
  for (const Test& test : tests()) {
    if (std::string(test.name).find(filter) == std::string::npos) continue;
    ++count;
    try {
      test.run();
    } catch (const std::exception& e) {
      ++failed;
      std::printf("FAILED %s: %s\n", test.name, e.what());
    }
  }
  std::printf("%d of %d tests passed\n", count - failed, count);
  return failed > 0 || count == 0;
}

}  // namespace harness

#define TEST(name)                                                     \
  static void name();                                                  \
  static const harness::Registration name##_registration(#name, name); \
  static void name()
#define CHECK(condition) harness::require(static_cast<bool>(condition), __FILE__, __LINE__, #condition)
// Relative to 1 + |y|.
#define CHECK_NEAR(x, y, tolerance) harness::near(x, y, tolerance, __FILE__, __LINE__)
// The expression throws the error, whose message holds the text.
#define CHECK_THROWS(expression, Error, text)                                                 \
  do {                                                                                        \
    std::string message_ = "nothing was thrown";                                              \
    bool right_ = false;                                                                      \
    try {                                                                                     \
      static_cast<void>(expression);                                                          \
    } catch (const Error& e) {                                                                \
      message_ = e.what();                                                                    \
      right_ = message_.find(text) != std::string::npos;                                      \
    }                                                                                         \
    harness::require(right_, __FILE__, __LINE__, std::string(#expression) + ": " + message_); \
  } while (false)
#define MAIN \
  int main(int count, char** arguments) { return harness::run(count > 1 ? arguments[1] : ""); }
