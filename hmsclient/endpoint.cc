#include "hmsclient/endpoint.h"

#include <charconv>
#include <string_view>

#include "processor/error.h"

namespace hmsync::hmsclient {

namespace {

[[noreturn]] void refuse(const std::string& uri, const char* why) {
  throw Error(ErrorKind::fatal,
              "metastore address '" + uri + "' " + why + "; it has the form thrift://HOST:PORT");
}

}  // namespace

Endpoint parse_uri(const std::string& uri) {
  constexpr std::string_view kScheme = "thrift://";
  std::string_view rest = uri;
  if (!rest.starts_with(kScheme)) {
    refuse(uri, "does not begin with thrift://");
  }
  rest.remove_prefix(kScheme.size());

  const size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) {
    refuse(uri, "has no port");
  }
  std::string_view host = rest.substr(0, colon);
  std::string_view port_text = rest.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    refuse(uri, "has an IPv6 address without brackets, or no port");
  }
  if (host.empty() || host.find_first_of("/ @") != std::string_view::npos) {
    refuse(uri, "has no usable host");
  }

  unsigned port = 0;
  const auto [end, failure] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (failure != std::errc() || end != port_text.data() + port_text.size() || port == 0 ||
      port > 65535) {
    refuse(uri, "has no port between 1 and 65535");
  }
  return {std::string(host), static_cast<uint16_t>(port)};
}

}  // namespace hmsync::hmsclient
