// When nothing goes on any more.
#pragma once

namespace hmsync::simulation {

class World;

/// Lets time pass until everything is read, and looks whether the store is right then; what the
/// guard refuses is forced by an operator. Throws Violation.
void await_rest(World& world);

}  // namespace hmsync::simulation
