// Thrift's library prints to standard error by itself; this sends its lines elsewhere.
#pragma once

namespace hmsync::hmsclient {

/// `line` gets every line from now on, from any thread, and must not throw. A plain function, since
/// Thrift keeps nothing else. For the whole process.
void route_thrift_output(void (*line)(const char* text));

}  // namespace hmsync::hmsclient
