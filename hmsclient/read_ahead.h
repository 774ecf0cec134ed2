// Reads the next page of the log while the one before is being applied.
#pragma once

#include <future>
#include <optional>

#include "follower/metastore.h"

namespace hmsync::hmsclient {

/// Once a page is full, what comes after it is read from `ahead`, in a thread of its own; the
/// answer is kept for the request that goes on there. It is used only if it is full too: what a
/// shorter one lacks may have come since. Everything else is asked of `log`, and so is what `ahead`
/// could not deliver. Of the bytes of a request each page gets half, so that both hold no more than
/// one would. Both must outlive it and be interrupted before it is destroyed, which waits for
/// `ahead`.
class ReadAhead : public follower::NotificationLog {
 public:
  ReadAhead(follower::NotificationLog& log, follower::NotificationLog& ahead)
      : log_(log), ahead_(ahead) {}

  int64_t head() override { return log_.head(); }
  /// Of a page that was read ahead `cut` is set: it was full.
  follower::EventPage events(const follower::EventRequest& request) override;
  std::optional<std::string> uuid() override { return log_.uuid(); }
  bool plain_listener() override { return log_.plain_listener(); }

 private:
  struct Reading {
    follower::EventRequest request;
    std::future<follower::EventPage> page;
  };

  std::optional<follower::EventPage> take(const follower::EventRequest& request);
  void read_on(const follower::EventPage& page, follower::EventRequest request);

  follower::NotificationLog& log_;
  follower::NotificationLog& ahead_;
  std::optional<Reading> reading_;
};

}  // namespace hmsync::hmsclient
