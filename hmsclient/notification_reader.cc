#include "hmsclient/notification_reader.h"

#include <thrift/Thrift.h>
#include <thrift/protocol/TProtocolException.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "Metastore.h"
#include "hmsclient/connection.h"
#include "hmsclient/list_answer.h"
#include "hmsclient/metastore_calls.h"
#include "hmsclient/thrift_error.h"
#include "processor/digest.h"

namespace hmsync::hmsclient {

namespace {

using apache::thrift::protocol::TProtocolException;
using apache::thrift::protocol::TType;

/// Reading so much through is cheaper than a new connection.
constexpr int64_t kCheapToSkip = 1 << 20;
constexpr int64_t kEventOverhead = 100;
constexpr int32_t kPartBytes = 64 << 10;

/// In parts, so that memory grows with what comes and not with what is claimed.
void read_message(Connection& connection, Protocol& in, processor::Event& event) {
  int32_t size = 0;
  in.readI32(size);
  if (size < 0) {
    throw TProtocolException(TProtocolException::NEGATIVE_SIZE);
  }
  std::optional<processor::MessageHash> hash;
  if (size > connection.max_message()) {
    hash.emplace();
  }
  std::string part;
  std::string& text = hash ? part : event.message;
  for (int32_t left = size; left > 0;) {
    connection.begin_element();
    const int32_t coming = std::min(left, kPartBytes);
    const size_t begin = hash ? 0 : text.size();
    text.resize(begin + static_cast<size_t>(coming));
    in.getTransport()->readAll(reinterpret_cast<uint8_t*>(text.data() + begin),
                               static_cast<uint32_t>(coming));
    if (hash) {
      hash->add(text);
    }
    left -= coming;
  }
  connection.begin_element();
  if (hash) {
    event.withheld = {size, hash->take()};
  }
}

int64_t bytes_on_the_wire(const processor::Event& event) {
  return event.withheld ? event.withheld->bytes : static_cast<int64_t>(event.message.size());
}

/// The field `id` of a NotificationEvent; false where it is none that is used.
bool read_event_field(Connection& connection, Protocol& in, int16_t id, TType type,
                      processor::Event& event) {
  using namespace apache::thrift::protocol;
  if (id == 1 && type == T_I64) {
    in.readI64(event.id);
  } else if (id == 2 && type == T_I32) {
    int32_t time = 0;
    in.readI32(time);
    event.time = time;
  } else if (type != T_STRING) {
    return false;
  } else if (id == 3) {
    in.readString(event.type);
  } else if (id == 4) {
    in.readString(event.database.emplace());
  } else if (id == 5) {
    in.readString(event.table.emplace());
  } else if (id == 6) {
    read_message(connection, in, event);
  } else if (id == 7) {
    in.readString(event.message_format);
  } else if (id == 8) {
    in.readString(event.catalog.emplace());
  } else {
    return false;
  }
  return true;
}

processor::Event read_event(Connection& connection, Protocol& in) {
  processor::Event event;
  std::string name;
  in.readStructBegin(name);
  for (;;) {
    TType type{};
    int16_t id = 0;
    in.readFieldBegin(name, type, id);
    if (type == apache::thrift::protocol::T_STOP) {
      break;
    }
    if (!read_event_field(connection, in, id, type, event)) {
      in.skip(type);
    }
    in.readFieldEnd();
  }
  in.readStructEnd();
  return event;
}

/// Takes events until max_bytes or max_events are held. It ends only between two ids, since the
/// next page is asked for by id: one event is read beyond the limits to know where that is.
class PageReader {
 public:
  PageReader(Connection& connection, const follower::EventRequest& request)
      : connection_(connection), request_(request) {}

  bool read(Protocol& in, uint32_t index, uint32_t size) {
    processor::Event event = read_event(connection_, in);
    const int64_t bytes = bytes_on_the_wire(event);
    if (page_.cut) {
      skipped_ += bytes;
      return skipped_ <= kCheapToSkip;
    }
    if (full() && !(has_one_id() && event.id == page_.events.back().id)) {
      const int64_t average = wire_bytes_ / static_cast<int64_t>(page_.events.size());
      end_before(event.id);
      return (average + kEventOverhead) * (size - index - 1) <= kCheapToSkip;
    }
    wire_bytes_ += bytes;
    held_bytes_ += static_cast<int64_t>(event.message.size());
    page_.events.push_back(std::move(event));
    return true;
  }

  /// True where the answer ended, full, within the only id that it has.
  [[nodiscard]] bool ended_within_id(int32_t asked) const {
    return !page_.cut && asked > 0 && page_.events.size() >= static_cast<size_t>(asked);
  }

  follower::EventPage take() { return std::move(page_); }

 private:
  [[nodiscard]] bool full() const {
    // A server that sends more than was asked for gets no memory for it either.
    return !page_.events.empty() &&
           (held_bytes_ >= request_.max_bytes ||
            (request_.max_events > 0 &&
             page_.events.size() >= static_cast<size_t>(request_.max_events)));
  }
  [[nodiscard]] bool has_one_id() const {
    return page_.events.front().id == page_.events.back().id;
  }

  void end_before(int64_t id) {
    page_.cut = true;
    while (page_.events.back().id == id) {
      page_.events.pop_back();
    }
  }

  Connection& connection_;
  const follower::EventRequest& request_;
  int64_t held_bytes_ = 0;
  int64_t wire_bytes_ = 0;
  int64_t skipped_ = 0;
  follower::EventPage page_;
};

}  // namespace

NotificationReader::NotificationReader(Client& client)
    : run_([&client](const Work& work) { client.run(work); }) {}

NotificationReader::NotificationReader(Connection& connection)
    : run_([&connection](const Work& work) { work(connection); }) {}

void NotificationReader::call_notification_api(const Work& work) {
  run_([&](Connection& connection) {
    try {
      return work(connection);
    } catch (const InternalError&) {
      // Needs the database and no authorisation; throws where the database is the trouble.
      read_database_names(connection, processor::kDefaultCatalog, [](const std::string&) {});
    }
    try {
      work(connection);
    } catch (const InternalError& error) {
      throw Error(
          ErrorKind::fatal,
          std::string(error.what()) +
              ". Its other calls work: the notification API is most likely not open to this "
              "user. Set hive.metastore.event.db.notification.api.auth to false in the "
              "metastore, or make the user a proxy user there (hadoop.proxyuser.USER.hosts)");
    }
  });
}

int64_t NotificationReader::head() {
  int64_t head = 0;
  call_notification_api([&](Connection& connection) { head = read_head(connection); });
  return head;
}

follower::EventPage NotificationReader::events(const follower::EventRequest& request) {
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  const ListAnswer answer{.method = "get_next_notification", .in_struct = true};
  idl::NotificationEventRequest asked;
  asked.__set_lastEvent(request.after);
  // One more shows whether the page ends within an id; where it is all of one id, more are needed.
  int32_t most = request.max_events > 0 ? std::min(request.max_events, kMost - 1) + 1 : 0;
  for (;;) {
    asked.__set_maxEvents(most);
    follower::EventPage page;
    bool whole = true;
    call_notification_api([&](Connection& connection) {
      PageReader reader(connection, request);
      connection.call(answer.method, [&](const std::shared_ptr<Protocol>& protocol) {
        idl::MetastoreClient(protocol).send_get_next_notification(asked);
        read_list_answer(connection, *protocol, answer,
                         [&](Protocol& in, uint32_t index, uint32_t size) {
                           return reader.read(in, index, size);
                         });
      });
      whole = !reader.ended_within_id(most);
      page = reader.take();
    });
    if (whole || most == kMost) {
      return page;
    }
    most = most > kMost / 2 ? kMost : most * 2;
  }
}

std::optional<std::string> NotificationReader::uuid() {
  std::optional<std::string> uuid;
  run_([&](Connection& connection) { uuid = read_uuid(connection); });
  return uuid;
}

bool NotificationReader::plain_listener() {
  bool plain = false;
  run_([&](Connection& connection) {
    try {
      // An empty setting is answered as such by 3.x and 4.x, and by whatever stands here by 2.3.
      const std::string listeners =
          read_config_value(connection, "hive.metastore.transactional.event.listeners", "");
      plain = listeners.find("DbNotificationListener") == std::string::npos;
    } catch (const Refusal& refusal) {
      if (refusal.kind() == ErrorKind::transient) {
        throw;
      }
    }
  });
  return plain;
}

}  // namespace hmsync::hmsclient
