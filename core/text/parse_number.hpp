// Numbers from text, independent of the locale.
#pragma once
#include <charconv>
#include <string>
#include <string_view>
#if !defined(__cpp_lib_to_chars)
#include <cerrno>
#include <cstdlib>
#endif

namespace binyan::text {

// Reads all of `digits`, which may be "inf" or "nan". Returns false where `digits` are no number, or one that is too
// large or too small for a double; `value` is then undefined.
inline bool parse_number(std::string_view digits, double& value) {
#if defined(__cpp_lib_to_chars)
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  return parsed.ptr == end && parsed.ec == std::errc();
#else
  // Some standard libraries parse integers only.
  if (digits.empty() || digits.front() == '+' || digits.find_first_of("xX \t") != std::string_view::npos) return false;
  const std::string copy(digits);
  char* end = nullptr;
  errno = 0;
  value = std::strtod(copy.c_str(), &end);
  return errno != ERANGE && end == copy.c_str() + copy.size();
#endif
}

}  // namespace binyan::text
