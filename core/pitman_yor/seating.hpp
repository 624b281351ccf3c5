// The arithmetic of the Pitman-Yor Chinese restaurant process that every restaurant uses, however it stores its tables
// (thesis, equations 2.10 and 2.15, sections 2.3.1 and 2.3.2; equation 5.1, section 5.3.2.1).
//
// A customer's choices are weights, all to be divided by total_weight: a table of n customers has weight n - a, a new
// table a m + b, where m is the number of tables in the restaurant.
#pragma once

namespace binyan::pitman_yor {

struct Hyperparameters {
  double discount = 0.5;  // a, in [0, 1)
  double strength = 1.0;  // b, above 0
};

// One table of `size` customers.
inline double table_weight(double size, double discount) { return size - discount; }
// All tables of a dish, or of several dishes, together.
inline double old_tables_weight(double customers, double tables, double discount) {
  return customers - discount * tables;
}
// A new table in a restaurant of `tables`.
inline double new_table_weight(double tables, const Hyperparameters& h) { return h.discount * tables + h.strength; }
// What the weights of a restaurant of `customers` add up to.
inline double total_weight(double customers, const Hyperparameters& h) { return customers + h.strength; }

}  // namespace binyan::pitman_yor
