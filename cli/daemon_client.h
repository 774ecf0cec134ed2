// The daemon's admin endpoint as the verbs see it: JSON in and out, problems as failures that know
// their exit status, the local token found by itself.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "cli/arguments.h"
#include "cli/http_client.h"

namespace hmsync::cli {

/// Ends the program with this exit status; the text goes to standard error.
class Failure : public std::runtime_error {
 public:
  Failure(Exit exit, const std::string& text) : std::runtime_error(text), exit_(exit) {}

  [[nodiscard]] Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

/// The daemon answers, but cannot reach what it would have to ask: later it may.
class Unavailable : public Failure {
 public:
  explicit Unavailable(const std::string& text) : Failure(Exit::failed, text) {}
};

struct Answer {
  std::string text;          ///< the JSON as it came, in one line
  boost::json::value value;  ///< the same, understood
};

using Query = std::vector<std::pair<std::string, std::optional<std::string>>>;

class DaemonClient {
 public:
  /// Throws Failure when the URL or the token file is no good.
  explicit DaemonClient(const Arguments& arguments);

  /// Throw Failure for problems (Unavailable for those that may pass), and Unreachable.
  Answer get(const std::string& path, const Query& query = {},
             std::chrono::milliseconds patience = std::chrono::seconds(30)) const;
  Answer change(const std::string& method, const std::string& path, const Query& query = {},
                const boost::json::object& body = {}) const;
  /// Line by line as they come.
  void list(const std::string& path, const Query& query,
            const std::function<void(std::string_view)>& line) const;

 private:
  HttpClient http_;
  std::string token_;  ///< from --token-file
};

/// Throws Failure when the text is not JSON.
boost::json::value parse_json(std::string_view text);

/// The member, or null where it is absent or `value` is no object.
const boost::json::value& member(const boost::json::value& value, std::string_view name);

}  // namespace hmsync::cli
