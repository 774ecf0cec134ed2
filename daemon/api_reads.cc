// Lists and look-ups: read from the store.
#include "daemon/api.h"
#include "daemon/moment.h"
#include "store/audit_reader.h"
#include "store/quarantine_store.h"

namespace hmsync::daemon {
namespace {

constexpr const char* kLines = "application/x-ndjson";

// A parameter that is there must say something: a filter that is empty by mistake would match all.
std::optional<std::string> filter(const HttpRequest& request, const char* name) {
  auto text = request.parameter(name);
  if (text && text->empty()) {
    throw HttpProblem(400, std::string("`") + name + "` is empty: leave it out, or give a name");
  }
  return text;
}

// Nothing where it is not asked for.
std::optional<double> since(const HttpRequest& request) {
  const auto text = filter(request, "since");
  if (!text) return std::nullopt;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto moment = parse_moment(*text, std::chrono::duration<double>(now).count());
  if (!moment) {
    throw HttpProblem(400, "`since` is \"" + *text +
                               "\"; a time such as 2026-11-30T08:00:00Z, or how long ago, such as "
                               "30s, 5m, 1h or 7d, is allowed");
  }
  return moment;
}

using List = std::function<void(store::Reader&, const HttpRequest&, const store::Reader::Line&)>;

HttpHandler listing(IdlePool<store::Reader>& readers, List list) {
  return [&readers, list = std::move(list)](const std::shared_ptr<Exchange>& exchange) {
    exchange->stream(kLines, [&](ResponseStream& out) {
      readers.with([&](store::Reader& reader) {
        list(reader, exchange->request(), [&](std::string_view line) {
          out.write(line);
          out.write("\n");
        });
      });
    });
  };
}

}  // namespace

void add_read_routes(HttpServer& server, const ReadParts& parts) {
  const auto list = [&](const char* path, List what) {
    server.route("GET", path, HttpPlace::stream, listing(parts.stream_readers, std::move(what)));
  };
  list("/v1/export", [](store::Reader& reader, const HttpRequest&, const auto& line) {
    reader.export_lines(line);
  });
  list("/v1/objects", [](store::Reader& reader, const HttpRequest& request, const auto& line) {
    reader.objects(
        {filter(request, "catalog"), filter(request, "database"), filter(request, "table")}, line);
  });
  list("/v1/paths", [](store::Reader& reader, const HttpRequest& request, const auto& line) {
    reader.paths(request.parameter("prefix").value_or(""), line);
  });
  list("/v1/grants", [](store::Reader& reader, const HttpRequest& request, const auto& line) {
    const auto suspended = request.parameter("suspended");
    if (suspended && *suspended != "true" && *suspended != "false") {
      throw HttpProblem(400, "`suspended` must be true or false");
    }
    reader.grants({filter(request, "role"), filter(request, "database"), filter(request, "table"),
                   suspended == "true"},
                  line);
  });
  list("/v1/suspended", [](store::Reader& reader, const HttpRequest&, const auto& line) {
    reader.grants({std::nullopt, std::nullopt, std::nullopt, true}, line);
  });
  list("/v1/quarantine", [](store::Reader& reader, const HttpRequest&, const auto& line) {
    store::quarantine_lines(reader.connection(), reader.server(), line);
  });
  list("/v1/audit", [](store::Reader& reader, const HttpRequest& request, const auto& line) {
    store::audit_lines(reader.connection(), reader.server(), since(request), line);
  });
  list("/v1/roles",
       [](store::Reader& reader, const HttpRequest&, const auto& line) { reader.roles(line); });
  server.route("GET", "/v1/owner", HttpPlace::worker,
               [readers = &parts.readers](const std::shared_ptr<Exchange>& exchange) {
                 const auto path = filter(exchange->request(), "path");
                 if (!path) throw HttpProblem(400, "`path` is missing");
                 const auto owner =
                     readers->with([&](store::Reader& reader) { return reader.owner_of(*path); });
                 exchange->reply({200, "application/json", owner.value_or("null")});
               });
}

}  // namespace hmsync::daemon
