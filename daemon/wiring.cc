#include "daemon/wiring.h"

#include <algorithm>

#include "daemon/caught.h"
#include "daemon/settings.h"
#include "leader/postgres_lease.h"
#include "store/event_store.h"

namespace hmsync::daemon {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLoopStatement{60'000};
constexpr milliseconds kQuickStatement{5'000};
constexpr milliseconds kRequestStatement{30'000};
// A list goes on while its reader takes it; a slow one is cut by the endpoint.
constexpr milliseconds kListStatement{std::chrono::hours(1)};
constexpr milliseconds kRefresh{1'000};
constexpr milliseconds kLastRequests{2'000};

// Every connection proves that it leads to the metastore that is followed.
hmsclient::Options wired(hmsclient::Options options, Instruments& instruments,
                         SharedExpectation& expected) {
  options.on_call = instruments.call_observer();
  options.on_proof = instruments.proof_observer();
  options.prove = [&expected](follower::NotificationLog& log, follower::ObjectReader& objects) {
    return follower::disproof(log, objects, expected.get());
  };
  options.proof_number = [&expected] { return expected.number(); };
  return options;
}

// A process that stands still in mid-grant must not hold up the loop, or a successor, for longer
// than the lease lets it.
store::ConnectionOptions request_options(const Configuration& configuration,
                                         const std::string& purpose) {
  store::ConnectionOptions options = store_options(configuration, purpose, kRequestStatement);
  options.writes = true;
  options.idle_in_transaction = std::max(configuration.leader.lease / 3, milliseconds(1));
  return options;
}

TermSettings term_settings(const Configuration& configuration, Instruments& instruments,
                           SharedExpectation& expected) {
  TermSettings settings;
  settings.server = configuration.server;
  settings.store = store_options(configuration, "loop", kLoopStatement);
  settings.store.writes = true;
  settings.metastore = wired(metastore_options(configuration), instruments, expected);
  settings.snapshot = snapshot_options(configuration);
  settings.loop = loop_options(configuration);
  settings.retention = {configuration.store.change_log_retention,
                        configuration.store.audit_retention};
  return settings;
}

}  // namespace

Wiring::Wiring(const Configuration& configuration, Instruments& instruments,
               std::function<void(follower::Step)> entered)
    : configuration_(configuration),
      instruments_(instruments),
      entered_(std::move(entered)),
      refresher_client_(wired(quick_metastore_options(configuration), instruments, expected_)),
      refresher_log_(refresher_client_),
      refresher_({refresher_log_, [this](int64_t head) { record_head(head); },
                  [this] { metastore_answered(); }},
                 instruments.board, kRefresh),
      desk_(static_cast<size_t>(configuration.admin.max_waiters), [this] { watcher_.kick(); }),
      election_(std::make_unique<leader::PostgresLease>(
                    store_options(configuration, "lease", milliseconds(0)),
                    leader::lease_times(configuration.leader.lease), configuration.server,
                    &instruments.store_observer),
                leader::lease_times(configuration.leader.lease), instance_name(),
                election_callbacks()),
      loop_(loop_ports()),
      watcher_({store_options(configuration, "watcher", kQuickStatement), configuration.server},
               {desk_, instruments.board, &instruments.store_observer, [this] { tick(); },
                [this](const StoreView& view) { saw_store(view); },
                [this](store::Connection& connection) { look_for_rewind(connection); }}),
      grants_observer_(instruments.store_probe, [this] { watcher_.look_for_rewind_soon(); }),
      readers_([this] {
        require_schema();
        return std::make_unique<store::Reader>(
            store_options(configuration_, "reader", kRequestStatement), configuration_.server,
            &instruments_.store_observer);
      }),
      stream_readers_([this] {
        require_schema();
        return std::make_unique<store::Reader>(
            store_options(configuration_, "list", kListStatement), configuration_.server,
            &instruments_.store_observer);
      }),
      privileges_([this] {
        require_schema();
        return std::make_unique<PrivilegeSession>(
            wired(quick_metastore_options(configuration_), instruments_, expected_),
            request_options(configuration_, "grants"), configuration_.server, &grants_observer_);
      }),
      orders_([this] {
        require_schema();
        return std::make_unique<OrderSession>(request_options(configuration_, "orders"),
                                              configuration_.server, &instruments_.store_observer);
      }),
      http_(http_options(configuration),
            [&log = instruments.log](const std::string& text) { log.warn(text); }) {
  instruments.board.saw_metastore(refresher_client_.uri(), "");
  instruments.exposition.at_scrape(
      [this] { instruments_.daemon_probe.set_waiters(static_cast<int64_t>(desk_.size())); });
  add_page_routes(http_, {instruments.board, instruments.exposition, instruments.watchdog, desk_,
                          refresher_, [this] { return follows_.load(); }});
  add_read_routes(http_, {readers_, stream_readers_});
  const ChangeParts changes{token_,      instruments.log, instruments.board,
                            privileges_, orders_,         [this] { loop_.wake(); }};
  add_order_routes(http_, changes);
  add_privilege_routes(http_, changes);
}

Wiring::~Wiring() { close(); }

void Wiring::open() {
  http_.start();
  token_.publish(runtime_folder(), http_.port());
}

void Wiring::follow() {
  follows_ = true;
  watcher_.start();
  refresher_.start();
  election_.start();
}

void Wiring::close() {
  loop_.stop();
  election_.stop();
  desk_.abandon_all();
  refresher_client_.interrupt();
  refresher_.stop();
  watcher_.stop();
  close_pools();
  http_.stop();
}

// The endpoint waits for its workers, which may wait for a metastore or a database that is away.
void Wiring::close_pools() {
  const auto until = std::chrono::steady_clock::now() + kLastRequests;
  privileges_.close(until);
  orders_.close(until);
  readers_.close(until);
  stream_readers_.close(until);
}

int64_t Wiring::ask_full_resync(const std::string& who) {
  follower::ResyncRequest request;
  request.requested_by = who;
  const int64_t id =
      orders_.with([&](OrderSession& session) { return session.store.ask_resync(request); });
  loop_.wake();
  return id;
}

leader::ElectionCallbacks Wiring::election_callbacks() {
  return {[this](const leader::Token& token) { elected(token); },
          [this](const std::string& reason) { deposed(reason); },
          [this](const Error& error) { election_failed(error); }};
}

LoopThread::Ports Wiring::loop_ports() {
  const TermSettings settings = term_settings(configuration_, instruments_, expected_);
  const TermParts parts{instruments_.loop_observer_parts(),
                        step_limits(settings.metastore, settings.store),
                        entered_,
                        instruments_.clock,
                        expected_,
                        &instruments_.loop_store_observer,
                        instruments_.rewinds,
                        [this](const RewindJudge::Mark& mark, const store::StoreProgress& found) {
                          instruments_.saw_progress(mark, found);
                        }};
  return {[settings, parts](const leader::Token& token) {
            return make_follower_term(settings, parts, token);
          },
          [this](const leader::Token& token) { return election_.holds(token); },
          [this](const leader::Token& token) { election_.resign(token); },
          [this](const Error& error) {
            instruments_.failed(Reporter::loop,
                                error.kind() == ErrorKind::fatal ? ProblemCode::store_refused
                                                                 : ProblemCode::store_unreachable,
                                error);
          },
          [this](std::optional<milliseconds> due) {
            if (due) {
              instruments_.watchdog.expect_within(*due);
            } else {
              instruments_.watchdog.rest();
            }
          }};
}

void Wiring::elected(const leader::Token& token) {
  guarded([&] {
    instruments_.log.info("this process leads now", {{"epoch", token.epoch}});
    instruments_.board.elected(token.epoch);
    instruments_.leader_probe.elected(token.epoch);
  });
  loop_.begin_term(token);
}

void Wiring::deposed(const std::string& reason) {
  loop_.end_term();
  guarded([&] {
    instruments_.board.deposed();
    instruments_.board.forget(Reporter::loop);
    instruments_.leader_probe.deposed();
    instruments_.log.warn("this process does not lead any more", {{"reason", reason}});
  });
}

// On the election's thread what is told must not keep the lease from being held or left.
void Wiring::guarded(const std::function<void()>& tell) {
  try {
    tell();
  } catch (const std::exception&) {
    election_failed(caught());
  }
}

void Wiring::election_failed(const Error& error) {
  election_failed_ = std::chrono::steady_clock::now().time_since_epoch().count();
  instruments_.failed(Reporter::election,
                      error.kind() == ErrorKind::fatal ? ProblemCode::store_refused
                                                       : ProblemCode::store_unreachable,
                      error);
}

// Until then there may be no tables, or those of another version.
void Wiring::require_schema() const {
  if (!follows_) throw Error(ErrorKind::transient, "the store has not been reached yet");
}

void Wiring::tick() {
  instruments_.saw_lease(election_.status());
  instruments_.judge_loop();
  instruments_.judge_rewinds();
  // The election tells of failures only: a lease length without one is a cure.
  const std::chrono::steady_clock::duration failed(election_failed_.load());
  if (std::chrono::steady_clock::now().time_since_epoch() - failed > configuration_.leader.lease) {
    instruments_.board.cure_store(Reporter::election);
  }
}

void Wiring::saw_store(const StoreView& view) {
  instruments_.saw_store(view);
  // The loop knows more while it runs.
  if (instruments_.board.leads()) return;
  follower::Expectation expectation;
  expectation.uuid = view.metastore_uuid;
  expectation.cursor = view.cursor.value_or(0);
  expected_.set(std::move(expectation));
}

void Wiring::look_for_rewind(store::Connection& connection) {
  const RewindJudge::Mark mark = instruments_.rewinds.mark();
  instruments_.saw_progress(mark, store::read_progress(connection, configuration_.server));
}

void Wiring::metastore_answered() {
  const std::string uri = refresher_client_.uri();
  // Another address may be of another version.
  if (uri != metastore_uri_) {
    instruments_.board.saw_metastore(uri, refresher_client_.version());
    metastore_uri_ = uri;
  }
  instruments_.saw_head();
}

void Wiring::record_head(int64_t head) {
  if (!refresher_store_) {
    refresher_store_ = std::make_unique<store::Connection>(
        store_options(configuration_, "head", kQuickStatement), &instruments_.store_observer);
  }
  store::PostgresEventStore(*refresher_store_, configuration_.server).record_head(head);
}

}  // namespace hmsync::daemon
