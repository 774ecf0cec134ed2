// The JSON object in a request's body, read field by field.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hmsync::daemon {

/// Throws HttpProblem(400), which names the field, for everything that is not as it should be.
class JsonBody {
 public:
  /// An empty body is an empty object. Only these fields may be there; null is like absent.
  JsonBody(std::string_view body, std::initializer_list<std::string_view> allowed);

  /// Not empty where it is there.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] std::string required_text(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;  ///< false where it is absent
  [[nodiscard]] std::optional<int64_t> integer(std::string_view name) const;
  [[nodiscard]] std::optional<std::vector<int64_t>> integers(std::string_view name) const;

 private:
  using Value = std::variant<std::string, int64_t, bool, std::vector<int64_t>>;

  [[nodiscard]] const Value* find(std::string_view name) const;

  std::map<std::string, Value, std::less<>> fields_;
};

}  // namespace hmsync::daemon
