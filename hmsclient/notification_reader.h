// The metastore's notification log.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "follower/metastore.h"
#include "hmsclient/client.h"

namespace hmsync::hmsclient {

class NotificationReader : public follower::NotificationLog {
 public:
  /// The client must outlive it, and is used only by the thread that uses this.
  explicit NotificationReader(Client& client);
  /// Over this connection and nothing else, without retry. It must outlive this.
  explicit NotificationReader(Connection& connection);

  /// Throws Error(fatal), which names the remedy, where the metastore's api authorisation refuses
  /// its notification calls (on by default from 3.0 on). The server answers that and a failure of
  /// its database alike; they are told apart by whether another call that needs the database works.
  int64_t head() override;
  /// In the server's order, whatever it is. Events are decoded one by one: once max_bytes or
  /// max_events are held the rest is dropped unread. A page never ends between two events of one
  /// id: the id is left to the next page, or comes whole, whatever the limits, where it is the
  /// page's only one. A message longer than max_message is withheld: read through, and of the
  /// page's bytes it is none.
  follower::EventPage events(const follower::EventRequest& request) override;
  std::optional<std::string> uuid() override;
  bool plain_listener() override;

 private:
  using Work = std::function<void(Connection&)>;

  /// A call of the notification API, whose only error is "internal error".
  void call_notification_api(const Work& work);

  const std::function<void(const Work&)> run_;
};

}  // namespace hmsync::hmsclient
