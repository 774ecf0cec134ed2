// Tables, partitions and databases in their Thrift form, as messages carry them.
#include <cstdint>
#include <string_view>

#include "processor/error.h"
#include "processor/thrift_json.h"
#include "processor/thrift_objects.h"
#include "tests/fuzz/holds.h"
#include "tests/fuzz/stored_objects.h"

namespace hmsync::fuzz {
namespace {

// Parts of the names may be missing here; a message's other names stand in for them.
void read(char what, std::string_view text) {
  switch (what) {
    case 't': {
      processor::Table table = processor::read_table(text).table;
      for (std::string* part : {&table.name.catalog, &table.name.database, &table.name.table}) {
        if (part->empty()) *part = "none";
      }
      check(table);
      break;
    }
    case 'p':
      check(processor::read_partition(text));
      break;
    case 'd': {
      processor::Database database = processor::read_database(text);
      for (std::string* part : {&database.name.catalog, &database.name.database}) {
        if (part->empty()) *part = "none";
      }
      check(database);
      break;
    }
    default: {
      processor::ThriftJson reader(text);
      reader.skip();
      reader.finish();
    }
  }
}

}  // namespace
}  // namespace hmsync::fuzz

// The first byte tells which object it is to be.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    hmsync::fuzz::read(static_cast<char>(data[0]),
                       {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const hmsync::Error& error) {
    hmsync::fuzz::holds(error.kind() == hmsync::ErrorKind::poison, "what is refused is poison");
  }
  return 0;
}
