// What belongs to the objects that a snapshot reads. Pure.
#pragma once

#include <string>
#include <vector>

#include "follower/metastore.h"
#include "processor/mutation.h"

namespace hmsync::follower {

/// In all that follows no scopes are everything.
bool contains(const std::vector<Scope>& scopes, const processor::TableName& table);
/// Whether the database's own row is read, with or without its tables.
bool contains(const std::vector<Scope>& scopes, const processor::DatabaseName& database);

/// What a name says in claims and re-reads: a table, or without one a database, or without one
/// everything.
Scope scope_of(const processor::TableName& name);

std::string to_text(const Scope& scope);

/// What a mutation that is no rename does to the objects of the scopes.
std::vector<processor::Mutation> within(const std::vector<Scope>& scopes,
                                        const processor::Mutation& mutation);

}  // namespace hmsync::follower
