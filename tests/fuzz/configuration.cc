// The configuration: file, environment and --set. What is accepted survives being printed and read.
#include "daemon/configuration.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/holds.h"

namespace hmsync::fuzz {
namespace {

using namespace daemon;

// A file in memory.
class File {
 public:
  explicit File(std::string_view text) : descriptor_(memfd_create("hmsync.toml", 0)) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    holds(written == static_cast<ssize_t>(text.size()), "the file is there");
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  const int descriptor_;
};

std::string_view part(std::string_view& input) {
  const size_t end = std::min(input.find('\0'), input.size());
  const std::string_view found = input.substr(0, end);
  input.remove_prefix(std::min(end + 1, input.size()));
  return found;
}

void check_printed(const Configuration& configuration) {
  const std::string printed = print_configuration(configuration);
  const File file(printed);
  const LoadedConfiguration again = load_configuration({file.path(), {}, {}});
  holds(again.problems.empty(), "what is printed can be read");
  const ConfigurationChanges changes = compare(configuration, again.configuration);
  holds(changes.live.empty(), "what is printed is what was read");
  // The password in it is hidden.
  holds(std::all_of(changes.needs_restart.begin(), changes.needs_restart.end(),
                    [](const std::string& key) { return key == "store.dsn"; }),
        "what is printed is what was read");
}

}  // namespace
}  // namespace hmsync::fuzz

// The file; after a NUL NAME=VALUE of the environment or section.key=value of --set, and so on.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hmsync::fuzz;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const File file(part(input));
  ConfigurationSources sources{file.path(), {}, {}};
  while (!input.empty()) {
    const std::string text(part(input));
    if (text.starts_with("HMSYNC_")) {
      const size_t equals = std::min(text.find('='), text.size());
      sources.environment.emplace_back(text.substr(0, equals),
                                       text.substr(std::min(equals + 1, text.size())));
    } else {
      sources.assignments.push_back(text);
    }
  }
  const LoadedConfiguration loaded = load_configuration(sources);
  for (const std::string& problem : loaded.problems) holds(!problem.empty(), "a problem says what");
  if (loaded.problems.empty()) check_printed(loaded.configuration);
  return 0;
}
