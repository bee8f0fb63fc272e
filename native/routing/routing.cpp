#include "extremum/routing.h"

#include "routing/genetic.h"

namespace extremum::routing {

std::unique_ptr<Search> create(const std::int32_t* integers, std::size_t integer_count, const double* reals,
                               std::size_t real_count) {
  auto problem = read_problem(integers, integer_count, reals, real_count);
  if (!problem) return nullptr;
  switch (problem->mode) {
    case Mode::kRuin: return make_ruin(std::move(*problem));
    case Mode::kTour: return make_tour(std::move(*problem));
    default: return make_genetic(std::move(*problem));
  }
}

}  // namespace extremum::routing
