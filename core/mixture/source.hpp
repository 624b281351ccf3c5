// What a mixture asks of a model in the core. A source is for one thread: it remembers what it was asked before.
#pragma once
#include <cstdint>
#include <span>

namespace binyan::mixture {

// Where a model writes its parts of one event (see EventParts): `parts()` elements each, and `features()` of the last.
struct PartRow {
  double *share, *mass, *unknown, *features;
};

class MixtureSource {
 public:
  virtual ~MixtureSource() = default;
  virtual uint32_t parts() const = 0;
  virtual uint32_t features() const = 0;
  virtual uint32_t words() const = 0;       // of the mixture: ids below this may be asked for
  virtual uint32_t state_size() const = 0;  // numbers that a state is
  // Whether Python holds a state as a tuple, not as a number.
  virtual bool has_sequences() const = 0;
  virtual void begin(std::span<uint32_t> state) const = 0;
  // Throws InputError where the numbers are no state of the model.
  virtual void check(std::span<const uint32_t> state) const = 0;
  // Weighs a word of the mixture after `state`, writes the state after it, and returns how many words the longest
  // n-gram that ends in it has.
  virtual uint32_t weigh(std::span<const uint32_t> state, uint32_t word, const PartRow& to,
                         std::span<uint32_t> next) = 0;

  // Words outside the mixture's vocabulary, each as the number that a state holds for it. `vector` is empty where the
  // model knows nothing of the word. `forget` takes back all words added.
  virtual void add_word(std::span<const float> vector) = 0;
  virtual void forget_words() = 0;
  // The number that states hold for a word of the mixture, and how many there are; for sources with sequences.
  virtual uint32_t number(uint32_t) const { return 0; }
  virtual uint32_t numbers() const { return 0; }
};

}  // namespace binyan::mixture
