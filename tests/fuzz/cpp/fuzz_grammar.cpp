// Grammars: rules made of the input's bytes are refused, or compiled; a word is then parsed.
#include <cstdint>
#include <memory>

#include "errors.hpp"
#include "grammar/parser.hpp"
#include "grammar/rules.hpp"

namespace {

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  bool left() const { return at_ < end_; }
  uint32_t below(uint32_t n) { return left() ? *at_++ % n : 0; }

 private:
  const uint8_t *at_, *end_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace binyan::grammar;
  if (size > 300) return 0;
  Bytes bytes(data, size);
  constexpr uint32_t kSymbols = 5, kAtoms = 3;
  std::vector<bool> adapted;
  for (uint32_t s = 0; s < kSymbols; ++s) adapted.push_back(bytes.below(4) == 0);
  std::vector<SourceRule> rules;
  while (bytes.left()) {
    SourceRule rule{bytes.below(kSymbols + 1), {}, {}, bytes.below(5) * 0.5};
    for (uint32_t n = bytes.below(4); n > 0; --n) rule.rhs.push_back(bytes.below(kSymbols + 1));
    for (uint32_t n = bytes.below(4); n > 0; --n) {
      rule.arguments.emplace_back();
      for (uint32_t m = bytes.below(4); m > 0; --m)
        rule.arguments.back().push_back({static_cast<int32_t>(bytes.below(5)) - 1, bytes.below(4)});
    }
    rules.push_back(std::move(rule));
  }
  try {
    const auto grammar = std::make_shared<const CompiledGrammar>(kSymbols, kAtoms, 0, rules, adapted);
    const Parser parser(grammar, std::vector<uint64_t>(rules.size(), 0),
                        std::vector<SymbolRestaurant>(grammar->adapted_symbols.size()), {});
    parser.log_inside(std::vector<uint32_t>{0, 1, 2, 0, 1});
  } catch (const binyan::InputError&) {
  }
  return 0;
}
