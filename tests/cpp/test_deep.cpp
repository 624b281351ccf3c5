// Derivations as deep as they may be, on stacks of several sizes: answered as on a large one, or refused, never a
// crash.
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#undef near
#else
#include <pthread.h>
#endif

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "errors.hpp"
#include "grammar/chain.hpp"
#include "grammar/posterior_parser.hpp"
#include "harness.hpp"
#include "small_grammar.hpp"

using namespace binyan;
using Numbers = std::vector<uint32_t>;

namespace {

constexpr size_t kKilobyte = 1024, kLarge = 64 * 1024 * kKilobyte;
constexpr const char* kTooDeep = "nested too deeply";

struct Job {
  const std::function<void()>& work;
  std::string message = "";

  void run() {
    try {
      work();
    } catch (const std::exception& e) {
      message = e.what();
    }
  }
};

// What `work` throws in a thread with a stack of so many bytes; "" for nothing.
std::string on_stack(size_t bytes, const std::function<void()>& work) {
  Job job{work};
#if defined(_WIN32)
  const auto run = [](void* given) -> DWORD { return static_cast<Job*>(given)->run(), 0; };
  const HANDLE thread = CreateThread(nullptr, bytes, run, &job, STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  CHECK(thread != nullptr);
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
#else
  const auto run = [](void* given) -> void* { return static_cast<Job*>(given)->run(), nullptr; };
  pthread_attr_t attributes;
  CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, bytes) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, &attributes, run, &job) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
#endif
  return job.message;
}

// Word -> A Word | A | B, where A and B are both the atom 0: each atom is a level, and the last has two derivations.
std::shared_ptr<const grammar::CompiledGrammar> right_branching() {
  const std::vector<grammar::SourceRule> rules{{0, {{{0, 0}, {1, 0}}}, {1, 0}, 1.0},
                                               {0, {{{0, 0}}}, {1}, 1.0},
                                               {0, {{{0, 0}}}, {2}, 1.0},
                                               {1, {{{-1, 0}}}, {}, 1.0},
                                               {2, {{{-1, 0}}}, {}, 1.0}};
  return std::make_shared<const grammar::CompiledGrammar>(3, 1, 0, rules, std::vector<bool>(3, false));
}

struct Answers {
  double log_probability = 0.0;
  std::vector<double> best;
  std::vector<uint32_t> drawn;
  bool operator==(const Answers&) const = default;
};

// Everything that walks over derivations: the forest, its best ones, each of them again under every state, and draws.
Answers ask(const std::shared_ptr<const grammar::CompiledGrammar>& compiled, const Numbers& word) {
  const size_t adapted = compiled->adapted_symbols.size();
  const auto forests = std::make_shared<const grammar::WordForests>(compiled, std::vector<Numbers>{word}, kLarge);
  grammar::Chain chain(forests, std::vector<grammar::SymbolRestaurant>(adapted), 3, 1);
  chain.initialise(false);
  chain.sweep(1.0, true, true);
  grammar::PosteriorParser parser(compiled, kLarge);
  for (int state = 0; state < 2; ++state) parser.add(chain.adaptor.rule_counts(), chain.adaptor.adaptors, {});
  Answers answers{parser.log_probability(word), {}, chain.derivation(0)};
  for (const auto& derivation : parser.best(word, 5, 30)) answers.best.push_back(derivation.log_probability);
  return answers;
}

// The answers on a large stack; on smaller ones the same, or a refusal. Returns how many small ones sufficed.
int check_on_stacks(const std::shared_ptr<const grammar::CompiledGrammar>& compiled, const Numbers& word) {
  Answers expected;
  CHECK(on_stack(kLarge, [&] { expected = ask(compiled, word); }) == "");
  CHECK(!expected.best.empty());
  int sufficed = 0;
  for (const size_t kilobytes : {8192, 1024, 512, 256, 192}) {
    Answers answers;
    const std::string message = on_stack(kilobytes * kKilobyte, [&] { answers = ask(compiled, word); });
    if (message == "") CHECK(answers == expected);
    else CHECK(message.find(kTooDeep) != std::string::npos);
    sufficed += message == "";
  }
  return sufficed;
}

}  // namespace

TEST(the_deepest_derivations) {
  const auto compiled = right_branching();
  uint32_t deepest = 100, refused = 12'000;
  while (refused - deepest > 1) {
    const uint32_t n = (deepest + refused) / 2;
    const Numbers word(n, 0);
    const bool fits = on_stack(kLarge, [&] { grammar::WordForests(compiled, {word}, kLarge); }) == "";
    (fits ? deepest : refused) = n;
  }
  CHECK(deepest >= 2000);
  CHECK(check_on_stacks(compiled, Numbers(deepest, 0)) < 5);
  const std::string message = on_stack(kLarge, [&] { ask(compiled, Numbers(refused, 0)); });
  CHECK(message.find(kTooDeep) != std::string::npos);
}

TEST(long_words) {
  for (const uint32_t length : {20u, 60u, 150u, 300u}) {
    Numbers word;
    for (uint32_t i = 0; i < length; ++i) word.push_back((i * i + i / 3) % 3);
    const int sufficed = check_on_stacks(small_grammar(), word);
    CHECK(sufficed >= (length <= 60 ? 3 : 1));
  }
}

TEST(threads_as_the_system_makes_them) {
  std::string message;
  std::thread([&] {
    try {
      ask(right_branching(), Numbers(2000, 0));
    } catch (const InputError& e) {
      message = e.what();
    }
  }).join();
  CHECK(message == "" || message.find(kTooDeep) != std::string::npos);
}

MAIN
