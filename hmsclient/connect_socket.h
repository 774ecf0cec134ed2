// A TCP connection made under a deadline that another thread can end. Not for use outside this
// folder.
#pragma once

#include <chrono>

#include "hmsclient/endpoint.h"
#include "hmsclient/interrupt.h"

namespace hmsync::hmsclient {

/// A connected, blocking socket, owned by the caller. Each address of the host is tried, all within
/// `timeout` (looking the name up is not bounded by it). Throws Error(transient).
int connect_socket(const Endpoint& endpoint, std::chrono::milliseconds timeout,
                   const Interrupt& interrupt);

}  // namespace hmsync::hmsclient
