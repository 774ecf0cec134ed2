// Reads an answer whose list may be longer than what is held at once: element by element, by hand.
// Not for use outside this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hmsclient/connection.h"

namespace hmsync::hmsclient {

enum class Declared { meta, no_such_object, invalid_object, invalid_operation };

/// How the answer to a call looks like.
struct ListAnswer {
  std::string method = {};
  /// The field of the result struct that has the list; nothing where the result is the list.
  bool in_struct = false;
  int16_t field = 1;
  apache::thrift::protocol::TType element = apache::thrift::protocol::T_STRUCT;
  /// The exceptions that the method declares, by field id.
  std::vector<std::pair<int16_t, Declared>> exceptions = {};
};

/// Reads exactly one element, the `index`th of `size`. False: the rest is not wanted.
using ReadElement = std::function<bool(Protocol&, uint32_t index, uint32_t size)>;

/// Throws what the server threw, as the generated code would. A missing list inside a struct is
/// an empty one. When
/// `read` returns false the connection is abandoned.
void read_list_answer(Connection& connection, Protocol& protocol, const ListAnswer& answer,
                      const ReadElement& read);

}  // namespace hmsync::hmsclient
