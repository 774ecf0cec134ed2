// The calls of a connection that are more than one question and one answer.
#include <poll.h>

#include <cerrno>
#include <utility>

#include "store/connection.h"
#include "store/postgres_error.h"

namespace hmsync::store {

std::vector<Result> Connection::transaction(std::span<const Statement> statements) {
  if (in_transaction_) throw Error(ErrorKind::fatal, "a transaction within a transaction");
  ready();
  if (PQenterPipelineMode(connection_.get()) != 1) {
    lose(std::string("cannot begin a pipeline: ") + PQerrorMessage(connection_.get()));
  }
  std::vector<Result> results;
  std::optional<Error> failure;
  try {
    send("BEGIN ISOLATION LEVEL READ COMMITTED", {});
    for (const auto& statement : statements) send(statement.sql, statement.parameters);
    send("COMMIT", {});
    if (PQpipelineSync(connection_.get()) != 1) {
      lose(std::string("cannot send to the database: ") + PQerrorMessage(connection_.get()));
    }
    flush();
    if (observer_ != nullptr) observer_->commit_sent();
    results.reserve(statements.size() + 2);
    read_pipeline(results, failure);
  } catch (...) {
    // What was sent without a sync is forgotten with the session.
    connection_.reset();
    throw;
  }
  if (observer_ != nullptr) observer_->round_trip();
  if (failure) {
    if (!outdated_ && PQtransactionStatus(connection_.get()) != PQTRANS_IDLE) execute("ROLLBACK");
    refuse(*failure);
  }
  results.erase(results.begin());
  results.pop_back();
  int64_t rows = 0;
  for (const Result& result : results) rows += result.written();
  wrote(rows);
  return results;
}

/// Up to the answer to the sync. Whatever follows a failed statement is skipped by the server.
void Connection::read_pipeline(std::vector<Result>& results, std::optional<Error>& failure) {
  for (;;) {
    PGresult* next = next_result();
    if (next == nullptr) {  // the end of one statement's results
      if (PQstatus(connection_.get()) != CONNECTION_OK) {
        lose(std::string("the connection to the database was lost: ") +
             PQerrorMessage(connection_.get()));
      }
      continue;
    }
    Result result(next);
    switch (PQresultStatus(next)) {
      case PGRES_PIPELINE_SYNC:
        PQexitPipelineMode(connection_.get());
        return;
      case PGRES_PIPELINE_ABORTED:
        break;
      case PGRES_FATAL_ERROR:
      case PGRES_BAD_RESPONSE:
        if (!failure) failure = refusal(next);
        if (PQstatus(connection_.get()) != CONNECTION_OK) lose(failure->what());
        break;
      default:
        results.push_back(std::move(result));
    }
  }
}

void Connection::for_each_row(std::string_view sql, std::span<const Parameter> parameters,
                              const std::function<void(const Result&)>& row) {
  ready();
  send(sql, parameters);
  PQsetSingleRowMode(connection_.get());
  flush();
  std::optional<Error> failure;
  while (PGresult* next = next_result()) {
    const Result result(next);
    const auto status = PQresultStatus(next);
    if (status == PGRES_SINGLE_TUPLE) {
      try {
        row(result);
      } catch (...) {
        connection_.reset();  // the rows that are still to come go nowhere
        throw;
      }
    } else if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) {
      failure = refusal(next);
    }
  }
  if (observer_ != nullptr) observer_->round_trip();
  if (failure) refuse(*failure);
}

bool Connection::take_notifications(std::string_view payload) {
  bool came = std::exchange(missed_, false);
  while (PGnotify* notify = PQnotifies(connection_.get())) {
    came = came || payload == notify->extra;
    PQfreemem(notify);
  }
  return came;
}

bool Connection::wait_for_notification(std::string_view payload, int wake_descriptor,
                                       std::chrono::milliseconds time) {
  const auto limit = std::chrono::steady_clock::now() + time;
  ready();
  while (!take_notifications(payload)) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(limit - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd polled[] = {{PQsocket(connection_.get()), POLLIN, 0}, {wake_descriptor, POLLIN, 0}};
    const int ready = poll(polled, 2, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) lose("the database's notifications cannot be waited for");
    if (ready <= 0) continue;
    if (polled[0].revents != 0 && PQconsumeInput(connection_.get()) == 0) {
      lose(std::string("the connection to the database was lost: ") +
           PQerrorMessage(connection_.get()));
    }
    if (polled[1].revents != 0) return take_notifications(payload);
  }
  return true;
}

void Connection::copy_in(
    const std::string& copy_sql,
    const std::function<void(const std::function<void(std::string_view)>&)>& write) {
  execute(copy_sql);
  const auto put = [this](std::string_view lines) {
    if (PQputCopyData(connection_.get(), lines.data(), static_cast<int>(lines.size())) != 1) {
      lose(std::string("cannot send to the database: ") + PQerrorMessage(connection_.get()));
    }
    flush();
  };
  try {
    write(put);
  } catch (...) {
    connection_.reset();  // ends the COPY, and the transaction around it
    throw;
  }
  if (PQputCopyEnd(connection_.get(), nullptr) != 1) {
    lose(std::string("cannot send to the database: ") + PQerrorMessage(connection_.get()));
  }
  last_result();
}

}  // namespace hmsync::store
