// Messages of all formats, and what their changes lead to.
#include <cstdint>
#include <string_view>

#include "processor/claim.h"
#include "processor/error.h"
#include "processor/mutation.h"
#include "tests/fuzz/event_input.h"
#include "tests/fuzz/holds.h"
#include "tests/fuzz/stored_objects.h"
#include "tests/processor/change_text.h"

namespace hmsync::fuzz {
namespace {

using namespace processor;

constexpr size_t kMostInflated = size_t{1} << 20;

struct CheckChange {
  void operator()(const CreateDatabase& change) const { check(change.database); }
  void operator()(const AlterDatabase& change) const {
    check(change.before);
    check(change.after);
    holds(change.before.name == change.after.name, "a database keeps its name");
  }
  void operator()(const DropDatabase& change) const { check(change.name); }
  void operator()(const CreateTable& change) const { check(change.table); }
  void operator()(const AlterTable& change) const {
    check(change.before);
    check(change.after);
    holds(change.before.identity == change.after.identity, "a table keeps its identity");
  }
  void operator()(const DropTable& change) const { check(change.name); }
  void operator()(const AddPartitions& change) const {
    check(change.table);
    for (const Partition& partition : change.partitions) check(partition);
  }
  void operator()(const DropPartitions& change) const {
    check(change.table);
    for (const auto& values : change.values) {
      holds(!values.empty(), "a partition that is dropped has values");
      check(Partition{values, std::nullopt});
    }
  }
  void operator()(const AlterPartition& change) const {
    check(change.table);
    check(Partition{change.before_values, std::nullopt});
    check(change.after);
  }
  void operator()(const AlterPartitions& change) const {
    check(change.table);
    for (const Partition& partition : change.after) check(partition);
  }
  void operator()(const Ignored&) const {}
};

// Nothing where the message is refused, which must be as poison and name the event.
std::optional<Change> decoded(const Event& event) {
  try {
    return decode(event, {.inflated_bytes = kMostInflated});
  } catch (const Error& error) {
    holds(error.kind() == ErrorKind::poison, "a message that is refused is poison");
    holds(std::string_view(error.what()).starts_with("event 7 ("), "a refusal names the event");
    return std::nullopt;
  }
}

}  // namespace
}  // namespace hmsync::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hmsync::fuzz;
  const auto event = event_of({reinterpret_cast<const char*>(data), size});
  const auto change = decoded(event);
  header_claim(event);
  if (!change) return 0;
  std::visit(CheckChange(), *change);
  const auto again = decoded(event);
  holds(again && to_text(*again) == to_text(*change), "a message means the same each time");
  const bool ignored = std::holds_alternative<Ignored>(*change);
  for (const Mutation& mutation : plan(event.id, *change)) {
    holds(!ignored, "an ignored event changes nothing");
    holds(mutation.event_id == event.id, "a mutation has its event's id");
  }
  for (const Claim& claim : claims(event.id, *change)) {
    holds(claim.event_id == event.id, "a claim has its event's id");
  }
  return 0;
}
