// The one Python module of the core: each file of this folder binds the core folder of its name.
#include "bindings.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of Binyan.";
  bind_pitman_yor(m);
  bind_context_tree(m);
  bind_hpylm(m);
  bind_compound_hpylm(m);
  bind_inflection_hpylm(m);
  bind_backoff_model(m);
  bind_suffix_block(m);
  bind_hpylm_block(m);
  bind_clustering(m);
  bind_text(m);
  bind_arpa(m);
  bind_word_scorer(m);
  bind_text_scorer(m);
  bind_mixture(m);
  bind_grammar(m);
  bind_translation(m);
  bind_decoder(m);
  bind_tuning(m);
}
