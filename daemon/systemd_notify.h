// What systemd is told, where there is one.
#pragma once

#include <string>

namespace hmsync::daemon {

/// sd_notify's states; nothing happens where NOTIFY_SOCKET is not set.
void tell_ready();
void tell_stopping();
void tell_status(const std::string& text);

}  // namespace hmsync::daemon
