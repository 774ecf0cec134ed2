// A pull reader of Thrift's TJSONProtocol, the form in which messages carry tables, partitions and
// databases. It is close to JSON but not JSON: a map with list keys (SkewedInfo of every skewed
// table) has unquoted arrays as keys, which JSON parsers refuse; hence a reader of our own. It also
// takes white space between tokens. Every structure is read by a caller that knows its depth, and
// skipping is iterative, so that no text can exhaust the stack.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hmsync::processor {

/// Reads one value after the other, in the order of the text, which must outlive it. All functions
/// throw Error(poison) for text that does not fit; a field of another type than asked for is such.
class ThriftJson {
 public:
  explicit ThriftJson(std::string_view text) : text_(text) {}

  /// Calls on_field(id) for each field, which reads its value or skips it.
  template <typename OnField>
  void read_struct(OnField on_field) {
    require_tag("rec");
    expect('{');
    if (accept('}')) {
      return;
    }
    do {
      const int64_t id = field_id();
      expect(':');
      expect('{');
      tag_ = raw_string();
      expect(':');
      on_field(id);
      expect('}');
    } while (accept(','));
    expect('}');
  }

  /// Calls on_element() for each element, which reads or skips it. The count in the text has to be
  /// that of the elements; nothing is allocated by it.
  template <typename OnElement>
  void read_list(OnElement on_element) {
    require_tag("lst");
    expect('[');
    const std::string_view element_tag = raw_string();
    expect(',');
    const int64_t count = integer();
    int64_t elements = 0;
    for (; accept(','); ++elements) {
      tag_ = element_tag;
      on_element();
    }
    expect(']');
    require_count(count, elements);
  }

  /// Calls on_entry(key, value) for each entry of a map of strings, both as written, with escapes.
  template <typename OnEntry>
  void read_string_map(OnEntry on_entry) {
    const int64_t count = begin_string_map();
    int64_t entries = 0;
    if (!accept('}')) {
      do {
        const std::string_view key = raw_string();
        expect(':');
        on_entry(key, raw_string());
        ++entries;
      } while (accept(','));
      expect('}');
    }
    expect(']');
    require_count(count, entries);
  }

  /// Unescaped. The result may be any bytes: whether it can be stored is for the caller to check.
  std::string read_string();
  /// A field of i8, i16, i32 or i64; enumerations are i32.
  int64_t read_integer();
  /// Passes over one value of any type; nesting deeper than 64 is refused.
  void skip();
  /// Throws unless only white space follows.
  void finish();

 private:
  void require_tag(std::string_view tag) const;
  static void require_count(int64_t count, int64_t found);
  int64_t begin_string_map();
  void expect(char c);
  bool accept(char c);
  void skip_white_space();
  char peek();
  int64_t field_id();
  int64_t integer();
  std::string_view raw_string();
  std::string_view scalar();

  std::string_view text_;
  size_t position_ = 0;
  std::string_view tag_ = "rec";  // type of the value that comes next
};

}  // namespace hmsync::processor
