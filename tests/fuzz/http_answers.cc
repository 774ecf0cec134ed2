#include "tests/fuzz/http_answers.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "tests/fuzz/holds.h"

namespace hmsync::fuzz {
namespace {

constexpr int kStatuses[] = {200, 400, 403, 413, 431};

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find("\r\n");
  holds(end != std::string_view::npos, "an answer's line ends");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 2);
  return line;
}

void check_status(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  holds(line.starts_with(kVersion), "an answer begins with its version");
  int status = 0;
  std::from_chars(line.data() + kVersion.size(), line.data() + line.size(), status);
  holds(std::find(std::begin(kStatuses), std::end(kStatuses), status) != std::end(kStatuses),
        "the status is one that the endpoint has");
}

}  // namespace

void check_answers(std::string_view answers) {
  while (!answers.empty()) {
    check_status(take_line(answers));
    size_t length = 0;
    bool json = false;
    for (std::string_view line = take_line(answers); !line.empty(); line = take_line(answers)) {
      constexpr std::string_view kLength = "Content-Length: ";
      if (line.starts_with(kLength)) {
        std::from_chars(line.data() + kLength.size(), line.data() + line.size(), length);
      } else if (line == "Content-Type: application/json" ||
                 line == "Content-Type: application/problem+json") {
        json = true;
      } else if (line == "Transfer-Encoding: chunked") {
        holds(answers.find("\r\n") != std::string_view::npos, "a chunked answer has chunks");
      }
    }
    if (!json) {
      // A stream: {} in chunks, or as it is to a client of HTTP/1.0.
      answers.remove_prefix(std::min(answers.find("HTTP/1.1 "), answers.size()));
      continue;
    }
    // To HEAD the length is told and nothing sent.
    if (answers.empty() || answers.starts_with("HTTP/1.1 ")) continue;
    holds(answers.size() >= length, "a body is as long as was said");
    simdjson::dom::parser parser;
    holds(parser.parse(simdjson::padded_string(answers.substr(0, length))).error() ==
              simdjson::SUCCESS,
          "a body is JSON");
    answers.remove_prefix(length);
  }
}

}  // namespace hmsync::fuzz
