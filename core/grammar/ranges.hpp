// The ranges of a constituent, one for each argument of its symbol: few, so that up to four take no memory of their
// own.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace binyan::grammar {

// The atoms [begin, end) of a word and its tape.
struct Range {
  uint32_t begin, end;
  friend bool operator==(const Range&, const Range&) = default;
};

class Ranges {
 public:
  Ranges() = default;
  Ranges(std::initializer_list<Range> ranges) {
    for (const Range& range : ranges) push_back(range);
  }
  void push_back(Range range) {
    if (size_ < kFew) few_[size_] = range;
    else {
      if (size_ == kFew) many_.assign(few_.begin(), few_.end());
      many_.push_back(range);
    }
    ++size_;
  }
  size_t size() const { return size_; }
  const Range* begin() const { return size_ <= kFew ? few_.data() : many_.data(); }
  const Range* end() const { return begin() + size_; }
  const Range& operator[](size_t i) const { return begin()[i]; }
  friend bool operator==(const Ranges& x, const Ranges& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  }

 private:
  static constexpr size_t kFew = 4;
  std::array<Range, kFew> few_{};
  size_t size_ = 0;
  std::vector<Range> many_;
};

}  // namespace binyan::grammar
