// Which mutant runs; only in the instrumented build (mutants.toml).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hmsync::simulation {

/// As mutants.toml has them.
std::vector<std::string> all_mutants();
bool is_chosen(std::string_view mutant);
/// Empty: none. For the whole process, before anything runs.
void choose_mutant(std::string name);

}  // namespace hmsync::simulation
