#include "cli/local_token.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace hmsync::cli {
namespace {

namespace fs = std::filesystem;

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// The first line without blanks at its ends; empty when there is none.
std::string first_line(int descriptor) {
  std::array<char, 4096> space{};
  const ssize_t size = read(descriptor, space.data(), space.size());
  std::string line(space.data(), size > 0 ? static_cast<size_t>(size) : 0);
  line.resize(std::min(line.find('\n'), line.size()));
  line.erase(line.find_last_not_of(" \t\r") + 1);
  line.erase(0, line.find_first_not_of(" \t"));
  return line;
}

/// A token goes into a header: no blanks, no line ends, no control characters.
bool is_token(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

struct Found {
  timespec written;
  std::string token;
};

std::optional<Found> look_in(const fs::path& folder, uint16_t port) {
  struct stat place {};
  if (lstat(folder.c_str(), &place) != 0 || !S_ISDIR(place.st_mode)) return std::nullopt;
  const Descriptor file(folder / ("token-" + std::to_string(port)),
                        O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat facts {};
  if (file.number() < 0 || fstat(file.number(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return std::nullopt;
  }
  if (facts.st_uid != place.st_uid) return std::nullopt;
  if (geteuid() != 0 && facts.st_uid != geteuid()) return std::nullopt;
  const std::string token = first_line(file.number());
  if (!is_token(token)) return std::nullopt;
  return Found{facts.st_mtim, token};
}

void add_folders_of_others(std::vector<fs::path>& folders) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/run/user", error)) {
    folders.push_back(entry.path() / "hmsync");
  }
  for (const auto& entry : fs::directory_iterator("/tmp", error)) {
    if (entry.path().filename().string().starts_with("hmsync-")) folders.push_back(entry.path());
  }
}

}  // namespace

std::vector<fs::path> runtime_folders() {
  std::vector<fs::path> folders;
  if (const char* given = std::getenv("RUNTIME_DIRECTORY")) {
    const std::string list = given;  // systemd gives several with colons between
    folders.emplace_back(list.substr(0, list.find(':')));
  }
  if (const char* folder = std::getenv("XDG_RUNTIME_DIR")) {
    folders.push_back(fs::path(folder) / "hmsync");
  }
  folders.emplace_back("/run/hmsync");
  folders.emplace_back("/tmp/hmsync-" + std::to_string(geteuid()));
  if (geteuid() == 0) add_folders_of_others(folders);
  return folders;
}

std::vector<std::string> local_tokens(const std::vector<fs::path>& folders, uint16_t port) {
  std::vector<Found> found;
  for (const fs::path& folder : folders) {
    if (auto token = look_in(folder, port)) found.push_back(std::move(*token));
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.written.tv_sec, a.written.tv_nsec) >
           std::tie(b.written.tv_sec, b.written.tv_nsec);
  });
  std::vector<std::string> tokens;
  for (const Found& one : found) {
    if (std::find(tokens.begin(), tokens.end(), one.token) == tokens.end()) {
      tokens.push_back(one.token);
    }
  }
  return tokens;
}

std::string read_token_file(const fs::path& file) {
  const Descriptor descriptor(file, O_RDONLY);
  if (descriptor.number() < 0) {
    throw std::runtime_error("token file " + file.string() +
                             " cannot be read: " + std::strerror(errno));
  }
  std::string token = first_line(descriptor.number());
  if (!is_token(token)) {
    throw std::runtime_error("token file " + file.string() + " has no token in its first line");
  }
  return token;
}

bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace hmsync::cli
