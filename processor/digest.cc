#include "processor/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <string>

#include "processor/error.h"

namespace hmsync::processor {

namespace {

/// Looking it up costs as much as hashing a message.
const EVP_MD* sha256() {
  static const EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kSha256;
}

}  // namespace

struct MessageHash::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

MessageHash::MessageHash() : state_(std::make_unique<State>()) {
  if (state_->context == nullptr || EVP_DigestInit_ex(state_->context, sha256(), nullptr) != 1) {
    throw Error(ErrorKind::fatal, "OpenSSL offers no SHA-256: events cannot be told apart");
  }
}

MessageHash::~MessageHash() = default;

void MessageHash::add(std::string_view part) {
  EVP_DigestUpdate(state_->context, part.data(), part.size());
}

std::array<std::byte, 32> MessageHash::take() {
  std::array<std::byte, 32> hash{};
  EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(hash.data()), nullptr);
  return hash;
}

EventDigest digest(const Event& event) {
  std::array<std::byte, 32> message{};
  size_t bytes = event.message.size();
  if (event.withheld) {
    message = event.withheld->hash;
    bytes = static_cast<size_t>(event.withheld->bytes);
  } else {
    MessageHash hash;
    hash.add(event.message);
    message = hash.take();
  }
  MessageHash whole;
  whole.add(fmt::format("{} {} {} {} ", event.id, event.time, bytes, event.type));
  whole.add({reinterpret_cast<const char*>(message.data()), message.size()});
  const std::array<std::byte, 32> hash = whole.take();
  EventDigest result;
  result.id = event.id;
  std::copy_n(hash.begin(), result.hash.size(), result.hash.begin());
  return result;
}

}  // namespace hmsync::processor
