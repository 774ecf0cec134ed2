// Where a metastore listens.
#pragma once

#include <cstdint>
#include <string>

namespace hmsync::hmsclient {

struct Endpoint {
  std::string host;  ///< without the brackets of an IPv6 address
  uint16_t port = 0;
};

/// Reads `thrift://HOST:PORT`; an IPv6 address stands in brackets. Throws Error(fatal) that says
/// what is wrong with anything else.
Endpoint parse_uri(const std::string& uri);

}  // namespace hmsync::hmsclient
