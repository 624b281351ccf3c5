// Families of words: those that can share a constituent, since it would have the same string in all of them. Which
// words form families depends on words, grammar and what is known alone, not on the state of a chain. Words that share
// a stem beforehand, which are drawn as one, are in none.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace binyan::grammar {

class WordForests;

class WordFamilies {
 public:
  // Families of 2 to `most` words; equal ones are listed once.
  WordFamilies(const WordForests& words, uint32_t most);

  uint32_t size() const { return static_cast<uint32_t>(first_.size()) - 1; }
  std::span<const uint32_t> operator[](uint32_t family) const {
    return {words_.data() + first_[family], words_.data() + first_[family + 1]};
  }
  size_t members() const { return words_.size(); }

 private:
  std::vector<size_t> first_{0};
  std::vector<uint32_t> words_;
};

}  // namespace binyan::grammar
