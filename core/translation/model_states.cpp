#include "translation/model_states.hpp"

#include <algorithm>

namespace binyan::translation {

namespace {
constexpr float kLowest = -100.0f;  // stands for a probability of zero
}

ModelStates::ModelStates(const std::vector<const LanguageModelFeature*>& models) {
  for (const auto* m : models) {
    models_.push_back({m, m->query(), m->order(), width_});
    width_ += m->order() + 1;
  }
}

void ModelStates::forget_over(uint64_t bytes) {
  for (Model& m : models_)
    if (m.query->remembered() > bytes) m.query = m.feature->query();
}

void ModelStates::combine(std::span<const uint32_t> target, const uint32_t* const* gaps, bool from_begin,
                          uint32_t* state, float* values, float* estimates) const {
  std::fill_n(state, width_, 0u);
  for (size_t m = 0; m < models_.size(); ++m) {
    const Model& model = models_[m];
    LanguageModelQuery& query = *model.query;
    uint32_t* const own = state + model.offset;
    uint32_t* const open = own + 1;
    const uint32_t longest = model.order - 1;
    uint32_t count = 0, history = from_begin ? query.begin() : query.empty();
    bool closed = from_begin || longest == 0;
    float exact = 0, estimate = 0, unknown = 0;
    auto add = [&](uint32_t word) {
      const QueryResult r = query.score(history, word);
      const float log_prob = std::max(r.log_prob, kLowest);
      history = r.state;
      if (closed) {
        exact += log_prob;
        return;
      }
      estimate += log_prob;
      open[count++] = word;
      closed = count == longest || query.length(history) < count;
    };
    for (uint32_t symbol : target) {
      if (!is_gap(symbol)) {
        add(symbol);
        unknown += model.feature->unknown(symbol);
        continue;
      }
      const uint32_t* const gap = gaps[gap_index(symbol)] + model.offset;
      for (uint32_t i = 0; i < gap[0] / 2; ++i) add(gap[1 + i]);
      if (gap[0] & 1) {
        closed = true;
        history = gap[model.order];
      }
    }
    own[0] = count * 2 + closed;
    own[model.order] = history;
    values[2 * m] = exact;
    values[2 * m + 1] = unknown;
    estimates[m] = estimate;
  }
}

void ModelStates::finish(const uint32_t* state, float* values) const {
  for (size_t m = 0; m < models_.size(); ++m) {
    values[2 * m] = std::max(models_[m].query->end(state[models_[m].offset + models_[m].order]), kLowest);
    values[2 * m + 1] = 0;
  }
}

}  // namespace binyan::translation
