#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "mixture/backoff_source.hpp"
#include "mixture/gate.hpp"
#include "mixture/log_bilinear_source.hpp"
#include "mixture/query.hpp"
#include "text/special_words.hpp"
#include "text/word_index.hpp"

namespace nb = nanobind;
using namespace binyan;
using namespace binyan::mixture;

namespace {

constexpr uint32_t kMostWords = 1 << 16;  // outside the vocabulary, that are remembered at a time

std::string_view utf8(nb::handle word) {
  Py_ssize_t size = 0;
  const char* const letters = PyUnicode_AsUTF8AndSize(word.ptr(), &size);
  if (letters == nullptr) throw nb::python_error();
  return {letters, static_cast<size_t>(size)};
}

// A mixture as Python asks: words are strings, a state is a tuple of the states of the models. A state of a
// log-bilinear model is a tuple of ids, and of strings for words outside its vocabulary that it composes of morphemes.
class MixtureScorer {
 public:
  // `compose` gives, for a word outside the vocabulary, its vector in each model, or None. `composed`: of each model,
  // the words of the mixture that it has composed vectors of.
  MixtureScorer(std::vector<std::shared_ptr<MixtureSource>> sources, std::vector<Widening> widenings,
                std::vector<double> weights, std::optional<Gate> gate, const text::WordIndex& words, nb::object compose,
                std::vector<std::vector<nb::object>> composed)
      : query_(std::move(sources), std::move(widenings), std::move(weights), std::move(gate)),
        words_(words),
        compose_(std::move(compose)),
        own_names_(std::move(composed)) {
    if (query_.sources()[0]->words() != words.size() || own_names_.size() != query_.sources().size())
      throw InputError("the words are not those of the mixture");
    names_ = own_names_;
    state_.resize(query_.state_size());
    next_.resize(query_.state_size());
    for (size_t i = 0; i < names_.size(); ++i) first_name_.push_back(first_name(i));
  }

  std::tuple<nb::tuple, double, uint32_t, bool> score(nb::tuple state, nb::str word) {
    const auto lock = locked();
    if (extras_.size() > kMostWords) forget();
    read_state(state);
    const uint32_t id = find(word);
    const MixedWord mixed = query_.score(state_, id, next_);
    return {state_after(), mixed.log_prob, mixed.matched, id == text::kUnknownWord || id >= words_.size()};
  }

  nb::tuple score_sentences(nb::list sentences) {
    const auto lock = locked();
    if (extras_.size() > kMostWords) forget();
    std::vector<uint32_t> ids;
    std::vector<uint64_t> offsets{0};
    for (nb::handle sentence : sentences) {
      for (nb::handle word : sentence) {
        ids.push_back(find(word));
        if (ids.back() == text::kSentenceStart || ids.back() == text::kSentenceEnd)
          throw InputError(
              "the text holds <s> or </s> as words; sentence boundaries are added by the model: remove them");
      }
      offsets.push_back(ids.size());
    }
    const size_t events = ids.size() + offsets.size() - 1;
    std::vector<double> log_prob(events);
    std::vector<uint8_t> matched(events), unknown(events);
    {
      nb::gil_scoped_release unlocked;
      query_.score_sentences(ids, offsets, log_prob, matched);
    }
    for (size_t s = 0, event = 0; s + 1 < offsets.size(); ++s, ++event)
      for (uint64_t i = offsets[s]; i < offsets[s + 1]; ++i, ++event)
        unknown[event] = ids[i] == text::kUnknownWord || ids[i] >= words_.size();
    for (size_t s = 0; s < offsets.size(); ++s) offsets[s] += s;
    return nb::make_tuple(numpy(std::move(log_prob)), numpy(std::move(matched)), numpy(std::move(unknown)),
                          numpy(std::move(offsets)));
  }

 private:
  std::unique_lock<std::mutex> locked() {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) {
      nb::gil_scoped_release unlocked;
      lock.lock();
    }
    return lock;
  }

  // The number of the first word that is held as a string, in the states of source i.
  uint32_t first_name(size_t i) const {
    const MixtureSource& source = *query_.sources()[i];
    return source.has_sequences() ? source.numbers() - static_cast<uint32_t>(own_names_[i].size()) : 0;
  }

  // The id of a word; one outside the vocabulary has one too where a model can compose it.
  uint32_t find(nb::handle word) {
    const std::string_view letters = utf8(word);
    const uint32_t id = words_.find(letters);
    if (id != kNoIndex) return id;
    if (compose_.is_none()) return text::kUnknownWord;
    const uint32_t extra = extras_.find(letters);
    return words_.size() + (extra != kNoIndex ? extra : add(word));
  }

  uint32_t add(nb::handle word) {
    const auto vectors = nb::cast<std::vector<std::optional<Array<float>>>>(compose_(word));
    if (vectors.size() != names_.size()) throw InputError("one vector for each model");
    for (size_t i = 0; i < vectors.size(); ++i) {
      query_.sources()[i]->add_word(vectors[i] ? view(*vectors[i]) : std::span<const float>());
      if (vectors[i]) names_[i].push_back(nb::borrow(word));
    }
    return extras_.add(utf8(word));
  }

  void forget() {
    for (const auto& source : query_.sources()) source->forget_words();
    names_ = own_names_;
    extras_ = {};
  }

  void read_state(const nb::tuple& state) {
    const auto& sources = query_.sources();
    if (state.size() != sources.size()) throw InputError("no such state: it belongs to another model");
    std::span<uint32_t> to(state_);
    for (size_t i = 0; i < sources.size(); ++i) {
      const auto here = to.first(sources[i]->state_size());
      const nb::handle of = state[i];
      if (!sources[i]->has_sequences()) {
        here[0] = nb::cast<uint32_t>(of);
      } else {
        const auto words = nb::cast<nb::tuple>(of);
        if (words.size() != here.size()) throw InputError("no such state: it belongs to another model");
        for (size_t j = 0; j < here.size(); ++j) {
          const nb::handle word = words[j];
          here[j] = PyUnicode_Check(word.ptr()) ? sources[i]->number(find(word)) : nb::cast<uint32_t>(word);
        }
      }
      sources[i]->check(here);
      to = to.subspan(here.size());
    }
  }

  nb::tuple state_after() const {
    const auto& sources = query_.sources();
    std::span<const uint32_t> from(next_);
    nb::object whole = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(sources.size())));
    for (size_t i = 0; i < sources.size(); ++i) {
      const uint32_t size = sources[i]->state_size();
      nb::object part;
      if (!sources[i]->has_sequences()) {
        part = nb::int_(from[0]);
      } else {
        part = nb::steal(PyTuple_New(size));
        for (uint32_t j = 0; j < size; ++j) PyTuple_SetItem(part.ptr(), j, held(i, from[j]).release().ptr());
      }
      PyTuple_SetItem(whole.ptr(), static_cast<Py_ssize_t>(i), part.release().ptr());
      from = from.subspan(size);
    }
    return nb::borrow<nb::tuple>(whole);
  }

  nb::object held(size_t source, uint32_t number) const {
    return number < first_name_[source] ? nb::object(nb::int_(number)) : names_[source][number - first_name_[source]];
  }

  MixtureQuery query_;
  const text::WordIndex& words_;
  text::WordIndex extras_;  // words outside the vocabulary, added to the sources in this order
  nb::object compose_;
  std::vector<std::vector<nb::object>> own_names_, names_;  // of each source, words that its states hold as strings
  std::vector<uint32_t> first_name_;
  std::vector<uint32_t> state_, next_;
  std::mutex mutex_;
};

nb::tuple mix(const Gate& gate, const Array<double>& share, const Array<double>& mass, const Array<double>& unknown,
              const Array<double>& features, const Array<uint8_t>& is_unknown) {
  const size_t events = is_unknown.size(), parts = gate.parts(), models = gate.models();
  if (share.size() != parts * events || mass.size() != parts * events || unknown.size() != parts * events ||
      features.size() != gate.features() * events)
    throw InputError("the parts of the models do not fit the mixture's weights");
  std::vector<double> weights(models * events), shares(models * events), weight(models), added(models);
  {
    nb::gil_scoped_release unlocked;
    EventParts at(gate.parts(), gate.features());
    for (size_t e = 0; e < events; ++e) {
      for (size_t j = 0; j < parts; ++j) {
        at.share[j] = share.data()[j * events + e];
        at.mass[j] = mass.data()[j * events + e];
        at.unknown[j] = unknown.data()[j * events + e];
      }
      std::copy_n(features.data() + e * gate.features(), gate.features(), at.features.begin());
      gate.mix(at, is_unknown.data()[e] != 0, weight, added);
      for (size_t m = 0; m < models; ++m) {
        weights[m * events + e] = weight[m];
        shares[m * events + e] = added[m];
      }
    }
  }
  return nb::make_tuple(numpy(std::move(weights)), numpy(std::move(shares)));
}

void bind_sources(nb::module_& m) {
  nb::class_<MixtureSource>(m, "MixtureSource", "A model as a mixture asks it in the core.")
      .def_prop_ro("parts", &MixtureSource::parts);
  nb::class_<BackoffSource, MixtureSource>(m, "BackoffSource", "A back-off model in a mixture.")
      .def(
          "__init__",
          [](BackoffSource* self, const ngram::BackoffModel& model, Ids ids, bool interpolated) {
            new (self) BackoffSource(model, copy(ids), interpolated);
          },
          nb::arg("model"), nb::arg("ids"), nb::arg("interpolated"), nb::keep_alive<1, 2>());
  nb::class_<LogBilinearSource, MixtureSource>(m, "LogBilinearSource", "A log-bilinear model in a mixture.")
      .def(
          "__init__",
          [](LogBilinearSource* self, uint32_t order, uint32_t width, bool sigmoid, bool diagonal,
             Array<float> context_vectors, Array<float> positions, Array<float> class_vectors, Array<float> class_bias,
             Array<float> target_vectors, Array<float> target_bias, Ids first, Ids number, Ids row) {
            new (self) LogBilinearSource({order, width, sigmoid, diagonal, copy(context_vectors), copy(positions),
                                          copy(class_vectors), copy(class_bias), copy(target_vectors),
                                          copy(target_bias), copy(first), copy(number), copy(row)});
          },
          nb::kw_only(), nb::arg("order"), nb::arg("width"), nb::arg("sigmoid"), nb::arg("diagonal"),
          nb::arg("context_vectors"), nb::arg("positions"), nb::arg("class_vectors"), nb::arg("class_bias"),
          nb::arg("target_vectors"), nb::arg("target_bias"), nb::arg("first"), nb::arg("number"), nb::arg("row"));
}

}  // namespace

void bind_mixture(nb::module_& m) {
  bind_sources(m);
  nb::class_<Gate>(m, "Gate", "The weights of a mixture by context.")
      .def(
          "__init__",
          [](Gate* self, Ids parts, uint32_t features, Array<double> known, Array<double> unknown) {
            new (self) Gate(copy(parts), features, copy(known), copy(unknown));
          },
          nb::arg("parts"), nb::arg("features"), nb::arg("known"), nb::arg("unknown"))
      .def("mix", &mix, nb::arg("share"), nb::arg("mass"), nb::arg("unknown"), nb::arg("features"),
           nb::arg("is_unknown"), "(weights, shares), models x events each, of flat arrays.");
  nb::class_<Widening>(m, "Widening", "How a model takes part in a vocabulary with more words than its own.")
      .def(
          "__init__",
          [](Widening* self, Array<uint8_t> own, double each, double rest) {
            new (self) Widening{copy(own), each, rest};
          },
          nb::arg("own"), nb::arg("each"), nb::arg("rest"));
  nb::class_<MixtureScorer>(m, "MixtureScorer", "A mixture of models of the core.")
      .def(nb::init<std::vector<std::shared_ptr<MixtureSource>>, std::vector<Widening>, std::vector<double>,
                    std::optional<Gate>, const text::WordIndex&, nb::object, std::vector<std::vector<nb::object>>>(),
           nb::arg("sources"), nb::arg("widenings"), nb::arg("weights"), nb::arg("gate").none(), nb::arg("words"),
           nb::arg("compose").none(), nb::arg("composed"), nb::keep_alive<1, 6>())
      .def("score", &MixtureScorer::score, nb::arg("state"), nb::arg("word"))
      .def("score_sentences", &MixtureScorer::score_sentences, nb::arg("sentences"));
}
