#include "hmsclient/call_transport.h"

#include <thrift/protocol/TProtocolException.h>
#include <thrift/transport/TTransportException.h>

#include <algorithm>
#include <limits>

namespace hmsync::hmsclient {

using apache::thrift::protocol::TProtocolException;
using apache::thrift::transport::TTransportException;

int CallTransport::left_milliseconds() const {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now())
          .count();
  if (left <= 0) {
    throw TTransportException(TTransportException::TIMED_OUT, "the call's time is over");
  }
  return static_cast<int>(std::min<int64_t>(left, std::numeric_limits<int>::max()));
}

uint32_t CallTransport::read(uint8_t* buffer, uint32_t size) {
  if (left_ <= 0) {
    throw TProtocolException(TProtocolException::SIZE_LIMIT);
  }
  socket_->setRecvTimeout(left_milliseconds());
  const auto wanted = static_cast<uint32_t>(std::min<int64_t>(size, left_));
  const uint32_t got = socket_->read(buffer, wanted);
  left_ -= got;
  return got;
}

void CallTransport::write(const uint8_t* data, uint32_t size) {
  socket_->setSendTimeout(left_milliseconds());
  socket_->write(data, size);
}

}  // namespace hmsync::hmsclient
