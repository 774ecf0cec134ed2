// The token that a daemon on this machine wrote for whoever may act for it: mode 0600, in its
// runtime folder, named after the port of its admin endpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hmsync::cli {

/// Folders where a daemon may have put it: this user's own first; for root those of other users
/// too.
std::vector<std::filesystem::path> runtime_folders();

/// Tokens for this port, newest first: a daemon that was killed leaves an old one behind. A file
/// counts only when it is a plain one, belongs to the owner of its folder and, unless we are root,
/// to us, since anybody may make a folder in /tmp.
std::vector<std::string> local_tokens(const std::vector<std::filesystem::path>& folders,
                                      uint16_t port);

/// The first line of a token file; throws std::runtime_error when it cannot be read or is empty.
std::string read_token_file(const std::filesystem::path& file);

/// 127.0.0.0/8, ::1 or localhost: only such a daemon is told a local token.
bool is_loopback(const std::string& host);

}  // namespace hmsync::cli
