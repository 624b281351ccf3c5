#include "translation/decoder_models.hpp"

#include <utility>

#include "translation/decoder_workspace.hpp"

namespace binyan::translation {

DecoderModels::DecoderModels(std::vector<const LanguageModelFeature*> features) : features_(std::move(features)) {}

DecoderModels::~DecoderModels() = default;

std::unique_ptr<DecoderWorkspace> DecoderModels::take_workspace(uint64_t decoder) const {
  std::unique_ptr<DecoderWorkspace> workspace;
  if (const std::scoped_lock locked(idle_lock_); !idle_.empty()) {
    workspace = std::move(idle_.back());
    idle_.pop_back();
  }
  if (!workspace) workspace = std::make_unique<DecoderWorkspace>(features_);
  workspace->belong_to(decoder);
  return workspace;
}

void DecoderModels::give_back(std::unique_ptr<DecoderWorkspace> workspace) const {
  workspace->forget_most();
  const std::scoped_lock locked(idle_lock_);
  idle_.push_back(std::move(workspace));
}

void DecoderWorkspace::belong_to(uint64_t decoder) {
  if (std::exchange(decoder_, decoder) != decoder) forget_options();
}

void DecoderWorkspace::forget_most() {
  constexpr uint64_t kModelBytes = 200'000'000, kOptions = 4'000'000;
  models.forget_over(kModelBytes);
  if (kept_options > kOptions) forget_options();
}

void DecoderWorkspace::forget_options() {
  options.clear();
  kept_options = 0;
}

}  // namespace binyan::translation
