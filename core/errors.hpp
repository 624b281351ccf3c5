// Errors the core raises; the bindings turn them into binyan.errors of the same name.
#pragma once
#include <stdexcept>

namespace binyan {

// Input or settings the caller can mend; the message says what was seen and what to do.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// An invariant of the core does not hold: a defect of Binyan.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace binyan
