#pragma once
#include <nanobind/nanobind.h>

void bind_clustering(nanobind::module_& m);
void bind_pitman_yor(nanobind::module_& m);
void bind_context_tree(nanobind::module_& m);
void bind_hpylm(nanobind::module_& m);
void bind_hpylm_block(nanobind::module_& m);
void bind_compound_hpylm(nanobind::module_& m);
void bind_inflection_hpylm(nanobind::module_& m);
void bind_backoff_model(nanobind::module_& m);
void bind_suffix_block(nanobind::module_& m);
void bind_text(nanobind::module_& m);
void bind_arpa(nanobind::module_& m);
void bind_word_scorer(nanobind::module_& m);
void bind_text_scorer(nanobind::module_& m);
void bind_grammar(nanobind::module_& m);
void bind_translation(nanobind::module_& m);
void bind_decoder(nanobind::module_& m);
void bind_tuning(nanobind::module_& m);
void bind_mixture(nanobind::module_& m);
