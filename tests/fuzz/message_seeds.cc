// The recorded events as inputs of the fuzzers: message_seeds FOLDER writes FOLDER/<fuzzer>/*.
#include <simdjson.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "tests/fuzz/event_input.h"
#include "tests/processor/recorded_events.h"

namespace {

using namespace hmsync::processor;

class Seeds {
 public:
  explicit Seeds(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& fuzzer, const std::string& name, const std::string& bytes) {
    if (!seen_.insert(fuzzer + bytes).second) return;
    std::filesystem::create_directories(folder_ / fuzzer);
    std::ofstream stream(folder_ / fuzzer / name, std::ios::binary);
    if (!(stream << bytes)) throw std::runtime_error("cannot write " + (folder_ / name).string());
  }

 private:
  const std::filesystem::path folder_;
  std::set<std::string> seen_;
};

// What a message has in Thrift's form, and the first letter that tells the fuzzer what it is.
constexpr std::pair<const char*, char> kObjects[] = {
    {"tableObjJson", 't'},           {"tableObjBeforeJson", 't'},    {"tableObjAfterJson", 't'},
    {"partitionObjBeforeJson", 'p'}, {"partitionObjAfterJson", 'p'}, {"dbJson", 'd'},
    {"dbObjBeforeJson", 'd'},        {"dbObjAfterJson", 'd'},
};

void add_objects(Seeds& seeds, const std::string& name, const std::string& message) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(message).get(object) != simdjson::SUCCESS) return;
  for (const auto& [key, kind] : kObjects) {
    std::string_view text;
    if (object[key].get(text) != simdjson::SUCCESS) continue;
    seeds.add("thrift_json", name + "-" + key, kind + std::string(text));
  }
  simdjson::dom::array partitions;
  if (object["partitionListJson"].get(partitions) != simdjson::SUCCESS || partitions.size() == 0) {
    return;
  }
  seeds.add("thrift_json", name + "-partition",
            "p" + std::string(std::string_view(partitions.at(0))));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: message_seeds FOLDER\n";
    return 2;
  }
  Seeds seeds(argv[1]);
  for (const std::string& recording : kRecordings) {
    for (const Event& event : recorded_events(recording)) {
      const std::string name = recording + "-" + std::to_string(event.id);
      seeds.add("message", name, hmsync::fuzz::input_of(event));
      if (event.message_format.starts_with("gzip")) {
        seeds.add("gzip", name, "b" + event.message);
      } else {
        add_objects(seeds, name, event.message);
      }
    }
  }
  return 0;
}
