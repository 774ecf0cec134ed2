#include "hmsclient/name_spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "processor/error.h"

namespace hmsync::hmsclient {

namespace {

constexpr size_t kMostInMemory = 1 << 20;
constexpr size_t kWriteBytes = 256 << 10;
/// So many names share a known offset; the others before are read through.
constexpr size_t kStride = 100;

std::string folder() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorKind::transient, std::string("a long list of names: cannot ") + what +
                                        " a temporary file in " + folder() +
                                        " (TMPDIR says where): " + std::strerror(errno));
}

int unnamed_file() {
  const int file = open(folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) {
    return file;
  }
  // Not every file system has files without a name.
  std::string path = folder() + "/hmsync-names-XXXXXX";
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named < 0) {
    fail("make");
  }
  unlink(path.c_str());
  return named;
}

}  // namespace

NameSpool::NameSpool(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    add(name);
  }
  finish();
}

NameSpool::~NameSpool() {
  if (file_ >= 0) {
    close(file_);
  }
}

void NameSpool::add(const std::string& name) {
  if (size_ % kStride == 0) {
    offsets_.push_back(end_);
  }
  const auto length = static_cast<uint32_t>(name.size());
  memory_.append(reinterpret_cast<const char*>(&length), sizeof length).append(name);
  end_ += static_cast<int64_t>(sizeof length + name.size());
  ++size_;
  if (memory_.size() > (file_ < 0 ? kMostInMemory : kWriteBytes)) {
    write_out();
  }
}

void NameSpool::finish() {
  if (file_ >= 0) {
    write_out();
    memory_.shrink_to_fit();
  }
}

void NameSpool::write_out() {
  if (file_ < 0) {
    file_ = unnamed_file();
  }
  for (size_t written = 0; written < memory_.size();) {
    const ssize_t part = write(file_, memory_.data() + written, memory_.size() - written);
    if (part < 0 && errno != EINTR) {
      fail("write to");
    }
    written += static_cast<size_t>(std::max<ssize_t>(part, 0));
  }
  memory_.clear();
}

std::string NameSpool::bytes(int64_t begin, int64_t end) const {
  const auto size = static_cast<size_t>(end - begin);
  if (file_ < 0) {
    return memory_.substr(static_cast<size_t>(begin), size);
  }
  std::string text(size, '\0');
  for (size_t got = 0; got < size;) {
    const ssize_t part =
        pread(file_, text.data() + got, size - got, begin + static_cast<off_t>(got));
    if (part == 0) {
      errno = EIO;  // shorter than what was written
    }
    if (part <= 0 && errno != EINTR) {
      fail("read from");
    }
    got += static_cast<size_t>(std::max<ssize_t>(part, 0));
  }
  return text;
}

std::vector<std::string> NameSpool::read(size_t begin, size_t end) const {
  std::vector<std::string> names;
  if (begin >= end) {
    return names;
  }
  const size_t last = (end + kStride - 1) / kStride;
  const std::string text =
      bytes(offsets_.at(begin / kStride), last < offsets_.size() ? offsets_[last] : end_);
  names.reserve(end - begin);
  size_t at = 0;
  for (size_t index = begin / kStride * kStride; index < end; ++index) {
    uint32_t length = 0;
    std::memcpy(&length, text.data() + at, sizeof length);
    at += sizeof length;
    if (index >= begin) {
      names.push_back(text.substr(at, length));
    }
    at += length;
  }
  return names;
}

}  // namespace hmsync::hmsclient
