#include "daemon/systemd_notify.h"

#include <systemd/sd-daemon.h>

#include <algorithm>

namespace hmsync::daemon {

void tell_ready() { sd_notify(0, "READY=1"); }

void tell_stopping() { sd_notify(0, "STOPPING=1"); }

void tell_status(const std::string& text) {
  std::string line = "STATUS=" + text;
  std::replace(line.begin(), line.end(), '\n', ' ');  // a new line would begin another variable
  sd_notify(0, line.c_str());
}

}  // namespace hmsync::daemon
