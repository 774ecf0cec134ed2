#include "tests/bench/bare_session.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace hmsync::bench {

namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

}  // namespace

BareSession::BareSession(const std::string& dsn) : session_(PQconnectdb(dsn.c_str()), PQfinish) {
  run("SET search_path = hmsync");
}

void BareSession::run(const std::string& sql) {
  const Result result(PQexec(session_.get(), sql.c_str()), PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN &&
      status != PGRES_COPY_OUT) {
    throw std::runtime_error(sql + ": " + PQerrorMessage(session_.get()));
  }
}

void BareSession::prepare(const std::string& query) {
  const Result result(PQprepare(session_.get(), "look_up", query.c_str(), 1, nullptr), PQclear);
  if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) {
    throw std::runtime_error(query + ": " + PQerrorMessage(session_.get()));
  }
}

void BareSession::look_up(const std::string& parameter) {
  const char* const values[] = {parameter.c_str()};
  const Result result(PQexecPrepared(session_.get(), "look_up", 1, values, nullptr, nullptr, 0),
                      PQclear);
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK || PQntuples(result.get()) == 0) {
    throw std::runtime_error(parameter + " is not found: " + PQerrorMessage(session_.get()));
  }
}

bool BareSession::notified() {
  PQconsumeInput(session_.get());
  const std::unique_ptr<PGnotify, decltype(&PQfreemem)> notification(PQnotifies(session_.get()),
                                                                     PQfreemem);
  return notification != nullptr;
}

void BareSession::copy_out(const std::string& query,
                           const std::function<void(std::string_view)>& row) {
  run("COPY (" + query + ") TO STDOUT");
  char* text = nullptr;
  int size = 0;
  for (; (size = PQgetCopyData(session_.get(), &text, 0)) > 0; PQfreemem(text)) {
    row({text, static_cast<size_t>(size)});
  }
  end_copy(query, size == -1);
}

void BareSession::end_copy(const std::string& what, bool went_well) {
  for (PGresult* end = nullptr; (end = PQgetResult(session_.get())) != nullptr; PQclear(end)) {
    went_well = went_well && PQresultStatus(end) == PGRES_COMMAND_OK;
  }
  if (!went_well) throw std::runtime_error(what + ": " + PQerrorMessage(session_.get()));
}

std::string BareSession::read_value(const std::string& query) {
  std::string value;
  copy_out(query, [&](std::string_view row) { value = row.substr(0, row.size() - 1); });
  return value;
}

CopiedRows BareSession::read(const std::string& table, const std::string& query) {
  CopiedRows rows{table, {}};
  copy_out(query, [&](std::string_view row) {
    const size_t tab = row.find('\t');
    rows.rows[std::stoll(std::string(row.substr(0, tab)))] += row.substr(tab + 1);
  });
  return rows;
}

void BareSession::write(const std::string& table, const std::string& rows) {
  run("COPY " + table + " FROM STDIN");
  constexpr size_t kPart = size_t{64} << 20;
  bool sent = true;
  for (size_t at = 0; at < rows.size(); at += kPart) {
    const auto size = static_cast<int>(std::min(kPart, rows.size() - at));
    sent = sent && PQputCopyData(session_.get(), rows.data() + at, size) == 1;
  }
  end_copy("COPY " + table, PQputCopyEnd(session_.get(), nullptr) == 1 && sent);
}

void BareSession::write(const std::vector<CopiedRows>& tables, const std::string& each) {
  std::set<int64_t> transactions;
  for (const CopiedRows& table : tables) {
    for (const auto& [transaction, rows] : table.rows) transactions.insert(transaction);
  }
  for (const int64_t transaction : transactions) {
    run("BEGIN");
    for (const CopiedRows& table : tables) {
      const auto rows = table.rows.find(transaction);
      if (rows != table.rows.end()) write(table.table, rows->second);
    }
    run(each);
    run("COMMIT");
  }
}

}  // namespace hmsync::bench
