#include "daemon/json_body.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "daemon/http_message.h"

namespace hmsync::daemon {
namespace {

std::vector<int64_t> numbers_of(std::string_view name, const simdjson::dom::element& list) {
  std::vector<int64_t> numbers;
  for (const auto& element : simdjson::dom::array(list)) {
    if (!element.is_int64()) {
      throw HttpProblem(400, fmt::format("`{}` must be a list of whole numbers", name));
    }
    numbers.push_back(int64_t(element));
  }
  return numbers;
}

}  // namespace

JsonBody::JsonBody(std::string_view body, std::initializer_list<std::string_view> allowed) {
  if (body.empty()) return;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto failure = parser.parse(body.data(), body.size()).get_object().get(object)) {
    throw HttpProblem(
        400, fmt::format("the body is not a JSON object: {}", simdjson::error_message(failure)));
  }
  for (const auto& [name, value] : object) {
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      throw HttpProblem(400, fmt::format("`{}` is not known here; known are: {}", name,
                                         fmt::join(allowed, ", ")));
    }
    if (value.is_null()) continue;
    if (value.is_string()) {
      fields_[std::string(name)] = std::string(std::string_view(value));
    } else if (value.is_bool()) {
      fields_[std::string(name)] = bool(value);
    } else if (value.is_int64()) {
      fields_[std::string(name)] = int64_t(value);
    } else if (value.is_array()) {
      fields_[std::string(name)] = numbers_of(name, value);
    } else {
      throw HttpProblem(400, fmt::format("`{}` has a value that cannot be used", name));
    }
  }
}

const JsonBody::Value* JsonBody::find(std::string_view name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? nullptr : &found->second;
}

std::optional<std::string> JsonBody::text(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(value);
  if (text == nullptr || text->empty()) {
    throw HttpProblem(400, fmt::format("`{}` must be a text that is not empty", name));
  }
  if (text->find('\0') != std::string::npos) {
    throw HttpProblem(400, fmt::format("`{}` has U+0000 in it, which cannot be stored", name));
  }
  return *text;
}

std::string JsonBody::required_text(std::string_view name) const {
  auto found = text(name);
  if (!found) throw HttpProblem(400, fmt::format("`{}` is missing", name));
  return *found;
}

bool JsonBody::flag(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return false;
  const auto* flag = std::get_if<bool>(value);
  if (flag == nullptr) throw HttpProblem(400, fmt::format("`{}` must be true or false", name));
  return *flag;
}

std::optional<int64_t> JsonBody::integer(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto* number = std::get_if<int64_t>(value);
  if (number == nullptr) throw HttpProblem(400, fmt::format("`{}` must be a whole number", name));
  return *number;
}

std::optional<std::vector<int64_t>> JsonBody::integers(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto* numbers = std::get_if<std::vector<int64_t>>(value);
  if (numbers == nullptr) {
    throw HttpProblem(400, fmt::format("`{}` must be a list of whole numbers", name));
  }
  return *numbers;
}

}  // namespace hmsync::daemon
