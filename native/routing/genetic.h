#pragma once

#include <memory>

#include "extremum/routing.h"
#include "routing/problem.h"

namespace extremum::routing {

std::unique_ptr<Search> make_genetic(Problem problem);
// Ruin and recreate: any combination of limits.
std::unique_ptr<Search> make_ruin(Problem problem);
// One vehicle, no limits.
std::unique_ptr<Search> make_tour(Problem problem);

}  // namespace extremum::routing
