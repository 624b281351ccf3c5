// The language models of decoders, and what they have answered.
//
// Decoders with other rules or other weights share one object, so that tuning, and rules that are made for each
// sentence, ask the models nothing twice.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "translation/language_model_query.hpp"

namespace binyan::translation {

class DecoderWorkspace;

class DecoderModels {
 public:
  // The features outlive it.
  explicit DecoderModels(std::vector<const LanguageModelFeature*> features);
  ~DecoderModels();

  const std::vector<const LanguageModelFeature*>& features() const { return features_; }

  // Used by Decoder alone. Safe from several threads.
  uint64_t next_decoder() const { return ++decoders_; }
  std::unique_ptr<DecoderWorkspace> take_workspace(uint64_t decoder) const;
  void give_back(std::unique_ptr<DecoderWorkspace> workspace) const;

 private:
  std::vector<const LanguageModelFeature*> features_;
  mutable std::atomic<uint64_t> decoders_ = 0;
  mutable std::mutex idle_lock_;
  mutable std::vector<std::unique_ptr<DecoderWorkspace>> idle_;  // as many as threads that decode
};

}  // namespace binyan::translation
