// Derivations as deep as they may be, on stacks of several sizes: answered as on a large one, or refused, never a
// crash.
#if defined(_WIN32)
#define NOMINMAX
#include <windows.h>
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

// S0 -> S1 -> ... -> one of two symbols, which are both the atom 0.
std::shared_ptr<const grammar::CompiledGrammar> chain_of_symbols(uint32_t n) {
  std::vector<grammar::SourceRule> rules;
  for (uint32_t s = 0; s + 1 < n; ++s) rules.push_back({s, {{{0, 0}}}, {s + 1}, 1.0});
  for (const uint32_t last : {n, n + 1}) {
    rules.push_back({n - 1, {{{0, 0}}}, {last}, 1.0});
    rules.push_back({last, {{{-1, 0}}}, {}, 1.0});
  }
  return std::make_shared<const grammar::CompiledGrammar>(n + 2, 1, 0, std::move(rules),
                                                          std::vector<bool>(n + 2, false));
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
  Answers answers{parser.log_probability(word), {}, {}};
  for (const auto& derivation : parser.best(word, 5, 30)) {
    answers.best.push_back(derivation.log_probability);
    answers.drawn.insert(answers.drawn.end(), derivation.rules.begin(), derivation.rules.end());
  }
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

TEST(the_longest_chains_of_rules) {
  uint32_t deepest = 100, refused = 6000;
  while (refused - deepest > 1) {
    const uint32_t n = (deepest + refused) / 2;
    const bool fits = on_stack(kLarge, [&] { grammar::WordForests(chain_of_symbols(n), {{0}}, kLarge); }) == "";
    (fits ? deepest : refused) = n;
  }
  CHECK(deepest >= 3000);
  CHECK(check_on_stacks(chain_of_symbols(deepest), {0}) < 5);
  const std::string message = on_stack(kLarge, [&] { ask(chain_of_symbols(refused), {0}); });
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
  const auto compiled = chain_of_symbols(3000);
  std::string message;
  std::thread([&] {
    try {
      ask(compiled, {0});
    } catch (const InputError& e) {
      message = e.what();
    }
  }).join();
  CHECK(message == "" || message.find(kTooDeep) != std::string::npos);
}

MAIN
