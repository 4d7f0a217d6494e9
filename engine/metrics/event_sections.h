// Figures of what happens to machines and jobs: outages, power and cost, preemptions, reservations of nodes.
#pragma once

#include "metrics/figures.h"

namespace coslice {

FigureSection outages_section();
FigureSection power_section();
FigureSection energy_section();
FigureSection cost_section();
FigureSection preemptions_section();
FigureSection reservations_section();

}  // namespace coslice
