// What the admin endpoint sends over one connection, whatever it was sent.
#pragma once

#include <string_view>

namespace hmsync::fuzz {

/// Ends the process unless these are whole HTTP/1.1 answers, one after the other, with statuses
/// that the endpoint has and with bodies of JSON. Only the last may be cut, and an answer to HEAD
/// has no body.
void check_answers(std::string_view answers);

}  // namespace hmsync::fuzz
