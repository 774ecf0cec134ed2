// The token that lets whoever runs the daemon, and root, change things through the admin endpoint.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hmsync::daemon {

/// $RUNTIME_DIRECTORY, else $XDG_RUNTIME_DIR/hmsync, else /run/hmsync for root, else
/// /tmp/hmsync-UID; made with mode 0700 where it is missing. Throws Error(fatal) where it cannot be
/// had, or belongs to somebody else.
std::filesystem::path runtime_folder();

/// Random, made at each start. Constant once published, and thread-safe.
class LocalToken {
 public:
  LocalToken();
  /// Removes the file.
  ~LocalToken();
  LocalToken(const LocalToken&) = delete;
  LocalToken& operator=(const LocalToken&) = delete;

  /// Writes `token-PORT` (mode 0600, one line) once the port is ours: another daemon's file must
  /// not be overwritten. Throws Error(fatal) where it cannot be written.
  void publish(const std::filesystem::path& folder, int port);
  /// Of an Authorization header's value, in a time that does not depend on where they differ.
  [[nodiscard]] bool accepts(std::string_view authorization) const;

 private:
  const std::string token_;
  std::filesystem::path file_;  ///< empty: not published
};

}  // namespace hmsync::daemon
