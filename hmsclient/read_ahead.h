// Reads the next page of the log while the one before is being applied.
#pragma once

#include <future>
#include <optional>

#include "follower/metastore.h"

namespace hmsync::hmsclient {

/// For requests that will be gone on from where they end. Once a page is full and large, what comes
/// after it is read from `ahead`, in a thread of its own; the answer, or the error, is that of the
/// next such request if it goes on there. It is used only if it is full too: what a shorter one
/// lacks may have come since. Everything else is asked of `log`. Of the bytes of a request each
/// page gets half, so that both hold no more than one would. Both must outlive it and be
/// interrupted before it is destroyed, which waits for them.
class ReadAhead : public follower::NotificationLog {
 public:
  /// `large`: a page of so many events. Less is no backlog, and a metastore on Derby pays for two
  /// readers with deadlocks among its writers (seen with 3.1.3).
  ReadAhead(follower::NotificationLog& log, follower::NotificationLog& ahead, size_t large = 1000)
      : log_(log), ahead_(ahead), large_(large) {}

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
  const size_t large_;
  std::optional<Reading> reading_;
};

}  // namespace hmsync::hmsclient
