// A list of names of any length: short ones in memory, long ones in a file. Not for use outside
// this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hmsync::hmsclient {

/// First filled by one thread, then read by any number. The file has no name and is in $TMPDIR,
/// else in /tmp: it is gone with this object, or with the process. Throws Error(transient) where
/// the file fails.
class NameSpool {
 public:
  NameSpool() = default;
  explicit NameSpool(const std::vector<std::string>& names);
  ~NameSpool();
  NameSpool(const NameSpool&) = delete;
  NameSpool& operator=(const NameSpool&) = delete;

  void add(const std::string& name);
  /// After the last name.
  void finish();

  [[nodiscard]] size_t size() const { return size_; }
  /// Those from `begin` up to `end`, which is left out, in the order in which they were added.
  [[nodiscard]] std::vector<std::string> read(size_t begin, size_t end) const;
  [[nodiscard]] bool in_memory() const { return file_ < 0; }

 private:
  void write_out();
  /// The bytes from `begin` up to `end` of all that was added.
  [[nodiscard]] std::string bytes(int64_t begin, int64_t end) const;

  size_t size_ = 0;
  int64_t end_ = 0;     ///< of all bytes
  std::string memory_;  ///< each name after its length; with a file, what is not written yet
  int file_ = -1;
  std::vector<int64_t> offsets_;  ///< of one name in many
};

}  // namespace hmsync::hmsclient
