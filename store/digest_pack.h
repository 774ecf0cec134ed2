// Digests of events as one value of the database: 24 bytes each, the id in 8 bytes, big-endian,
// then the hash.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "processor/digest.h"

namespace hmsync::store {

/// PostgreSQL's text of the bytea.
std::string pack_digests(const std::vector<processor::EventDigest>& digests);

/// Of that text, as PostgreSQL answers it. Throws Error(fatal) for what pack_digests() never made.
std::vector<processor::EventDigest> unpack_digests(std::string_view bytea);

}  // namespace hmsync::store
