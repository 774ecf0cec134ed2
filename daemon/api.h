// The admin endpoint's routes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "daemon/head_refresher.h"
#include "daemon/http_server.h"
#include "daemon/idle_pool.h"
#include "daemon/local_token.h"
#include "daemon/logging.h"
#include "daemon/loop_watchdog.h"
#include "daemon/status_board.h"
#include "daemon/wait_desk.h"
#include "hmsclient/client.h"
#include "hmsclient/notification_reader.h"
#include "hmsclient/snapshot_reader.h"
#include "store/order_store.h"
#include "store/privileges.h"
#include "store/reader.h"

namespace hmsync::metrics {
class Exposition;
}

namespace hmsync::daemon {

/// What /livez, /readyz, /leader, /metrics, /v1/status, /v1/wait and the start page answer from:
/// all of it in memory.
struct PageParts {
  StatusBoard& board;
  metrics::Exposition& exposition;
  LoopWatchdog& watchdog;
  WaitDesk& desk;
  HeadRefresher& refresher;
  std::function<bool()> ready;  ///< the schema was accepted
};

void add_page_routes(HttpServer& server, const PageParts& parts);

/// Lists and look-ups, read from the store.
struct ReadParts {
  IdlePool<store::Reader>& readers;         ///< for short answers
  IdlePool<store::Reader>& stream_readers;  ///< for lists of any length
};

void add_read_routes(HttpServer& server, const ReadParts& parts);

/// The metastore and the store, as one request that changes roles or grants uses them.
struct PrivilegeSession {
  PrivilegeSession(const hmsclient::Options& metastore, const store::ConnectionOptions& connection,
                   const std::string& server, store::ConnectionObserver* observer)
      : client(metastore), log(client), objects(metastore), store(connection, server, observer) {}

  /// From any thread: what it waits for ends.
  void interrupt() {
    client.interrupt();
    objects.interrupt();
    store.interrupt();
  }

  hmsclient::Client client;
  hmsclient::NotificationReader log;
  hmsclient::SnapshotReader objects;
  store::PostgresPrivilegeStore store;
};

/// Requests, the pause, and what people settle, on a connection of their own.
struct OrderSession {
  OrderSession(const store::ConnectionOptions& options, const std::string& server_name,
               store::ConnectionObserver* observer)
      : server(server_name), connection(options, observer), store(connection, server) {}

  void interrupt() { connection.interrupt(); }

  const std::string server;
  store::Connection connection;
  store::PostgresOrderStore store;
};

struct ChangeParts {
  const LocalToken& token;
  Log& log;
  StatusBoard& board;
  IdlePool<PrivilegeSession>& privileges;
  IdlePool<OrderSession>& orders;
  std::function<void()> ordered;  ///< the loop has something to do
};

/// With add_repair_routes().
void add_order_routes(HttpServer& server, const ChangeParts& parts);
/// Quarantine and suspended grants.
void add_repair_routes(HttpServer& server, const ChangeParts& parts);
void add_privilege_routes(HttpServer& server, const ChangeParts& parts);

/// The audit's name of whoever has the local token.
inline constexpr const char* kLocalName = "local";

/// Runs `handler` for who has the right token; else answers 401 or 403 and leaves a trace.
HttpHandler needs_token(const ChangeParts& parts, HttpHandler handler);

}  // namespace hmsync::daemon
