#include "daemon/local_token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "processor/error.h"

namespace hmsync::daemon {
namespace {

std::string reason() { return std::generic_category().message(errno); }

std::string random_hex() {
  std::array<unsigned char, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(ErrorKind::fatal, "the kernel gives no random bytes: " + reason());
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::filesystem::path folder_name() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
    return std::string(value == nullptr ? "" : value);
  };
  // systemd gives several folders as a list.
  const std::string given = variable("RUNTIME_DIRECTORY");
  if (!given.empty()) return given.substr(0, given.find(':'));
  const std::string session = variable("XDG_RUNTIME_DIR");
  if (!session.empty()) return std::filesystem::path(session) / "hmsync";
  if (geteuid() == 0) return "/run/hmsync";
  return fmt::format("/tmp/hmsync-{}", geteuid());
}

}  // namespace

std::filesystem::path runtime_folder() {
  const std::filesystem::path folder = folder_name();
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw Error(ErrorKind::fatal,
                fmt::format("cannot make the runtime folder {}: {}; set RUNTIME_DIRECTORY to a "
                            "folder of this user",
                            folder.string(), reason()));
  }
  struct stat found {};
  // Not through a link: in /tmp somebody else may have laid it.
  if (lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != geteuid() ||
      (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw Error(ErrorKind::fatal,
                fmt::format("the runtime folder {} is not a folder that only this user may write; "
                            "remove it, or set RUNTIME_DIRECTORY to another",
                            folder.string()));
  }
  return folder;
}

LocalToken::LocalToken() : token_(random_hex()) {}

LocalToken::~LocalToken() {
  if (!file_.empty()) unlink(file_.c_str());
}

void LocalToken::publish(const std::filesystem::path& folder, int port) {
  const std::filesystem::path target = folder / fmt::format("token-{}", port);
  const std::filesystem::path draft = folder / fmt::format(".token-{}", port);
  unlink(draft.c_str());
  const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  const std::string line = token_ + "\n";
  const bool written =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (file >= 0) close(file);
  // Whole or not at all: hmsyncctl may look at any moment.
  if (!written || rename(draft.c_str(), target.c_str()) != 0) {
    throw Error(ErrorKind::fatal,
                fmt::format("cannot write the local token {}: {}", target.string(), reason()));
  }
  file_ = target;
}

bool LocalToken::accepts(std::string_view authorization) const {
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.substr(0, kScheme.size()) != kScheme) return false;
  const std::string_view given = authorization.substr(kScheme.size());
  return given.size() == token_.size() &&
         CRYPTO_memcmp(given.data(), token_.data(), token_.size()) == 0;
}

}  // namespace hmsync::daemon
