#include "tests/simulation/chosen_mutant.h"

#include <utility>

namespace hmsync::simulation {
namespace {

std::string& chosen() {
  static std::string name;
  return name;
}

}  // namespace

bool is_chosen(std::string_view mutant) { return chosen() == mutant; }

void choose_mutant(std::string name) { chosen() = std::move(name); }

}  // namespace hmsync::simulation
