// The one table of configuration keys. Parsing, --print-config, the names of environment variables
// and the documentation come from it, so that they cannot disagree.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/configuration.h"

namespace hmsync::daemon {

enum class KeyType { text, list, integer, number, duration, bytes, percent };

using Field = std::variant<std::string*, std::vector<std::string>*, int64_t*, double*,
                           std::chrono::milliseconds*>;

struct Key {
  std::string_view name;  ///< section.key; without a section at the top of the file
  KeyType type;
  std::string_view description;
  Field (*field)(Configuration&);
  /// Bounds in ones, milliseconds, bytes or percent; not looked at for text.
  int64_t least = 0;
  int64_t most = 0;
  bool zero_allowed = false;                   ///< below `least`, as "off"
  std::vector<std::string_view> choices = {};  ///< of a text; empty: any
  bool secret = false;                         ///< never shown in problems; printed by its own rule
  bool live = false;                           ///< can change while running
};

std::span<const Key> configuration_keys();

/// HMSYNC_METASTORE_URIS for metastore.uris.
std::string environment_name(const Key& key);

const Key* find_key(std::string_view name);
/// The known key that a person most likely meant, by edit distance.
const Key& nearest_key(std::string_view name);
/// The known section most like this one.
std::string nearest_section(std::string_view name);

/// A value as it was written. Where the source has no types (environment, --set) any key's form
/// fits a text, and commas separate the elements of a list.
struct RawValue {
  enum class Kind { text, number, list, other };
  Kind kind = Kind::text;
  bool typed = true;
  std::string text;
  std::vector<std::string> elements = {};
};

/// Stores the value; otherwise says what is wrong and what is allowed.
std::optional<std::string> set_value(const Key& key, const RawValue& value,
                                     Configuration& configuration);

/// As TOML, secrets included.
std::string format_value(const Key& key, const Configuration& configuration);
/// As a TOML string.
std::string quote(std::string_view text);

}  // namespace hmsync::daemon
