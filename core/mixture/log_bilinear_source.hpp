// A log-bilinear model in a mixture: one part, whose features are the prediction vector of the context.
//
// What a word adds to the prediction at a position is computed when it is first met, and what contexts predict is kept
// for the contexts met last; both within a bound of memory.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "mixture/source.hpp"
#include "no_index.hpp"

namespace binyan::mixture {

struct LogBilinearParameters {
  uint32_t order = 0, width = 0;
  bool sigmoid = false, diagonal = false;
  // Of the numbers that states hold: the model's words by id, then words of the mixture that it can compose.
  std::vector<float> context_vectors;
  std::vector<float> positions;                    // (order - 1) x width, x width unless diagonal, the oldest first
  std::vector<float> class_vectors, class_bias;    // classes x width
  std::vector<float> target_vectors, target_bias;  // rows x width; the rows of a class are adjacent
  std::vector<uint32_t> first;                     // rows of class c: [first[c], first[c + 1])
  std::vector<uint32_t> number, row;               // of each word of the mixture
};

class LogBilinearSource final : public MixtureSource {
 public:
  // Throws InputError where sizes do not fit together.
  explicit LogBilinearSource(LogBilinearParameters parameters);
  uint32_t parts() const override { return 1; }
  uint32_t features() const override { return a_.width; }
  uint32_t words() const override { return static_cast<uint32_t>(a_.number.size()); }
  uint32_t state_size() const override { return a_.order - 1; }
  bool has_sequences() const override { return true; }
  void begin(std::span<uint32_t> state) const override;
  void check(std::span<const uint32_t> state) const override;
  uint32_t weigh(std::span<const uint32_t> state, uint32_t word, const PartRow& to, std::span<uint32_t> next) override;
  void add_word(std::span<const float> vector) override;
  void forget_words() override;
  uint32_t number(uint32_t word) const override { return a_.number[word]; }
  uint32_t numbers() const override { return static_cast<uint32_t>(slot_[0].size()); }

 private:
  struct Prediction {
    std::vector<uint32_t> context;                    // empty before the first
    std::vector<float> vector, classes;               // p, and the scores of classes
    double norm = 0.0;                                // of classes
    std::vector<std::pair<uint32_t, double>> within;  // classes asked for, with the norm of their words
  };

  Prediction& predict(std::span<const uint32_t> context);
  double log_prob(Prediction& at, uint32_t row);
  const float* context_part(uint32_t position, uint32_t number);
  double norm_within(Prediction& at, uint32_t c);

  LogBilinearParameters a_;
  uint64_t own_words_, own_numbers_;
  std::vector<uint32_t> class_of_;                     // of each row
  std::vector<float> class_columns_, target_columns_;  // width x classes; for each class width x its rows
  std::vector<std::vector<uint32_t>> slot_;            // [position][number]: its row of `parts_`, kNoIndex if none
  std::vector<float> parts_, zeros_, scores_;
  std::vector<Prediction> kept_;  // by a hash of the context
};

}  // namespace binyan::mixture
