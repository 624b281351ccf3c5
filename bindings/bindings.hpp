#pragma once
#include <nanobind/nanobind.h>

void bind_pitman_yor(nanobind::module_& m);
