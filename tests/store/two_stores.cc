#include "tests/store/two_stores.h"

#include <algorithm>
#include <sstream>

namespace hmsync::store {

namespace {

std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Of a claim that only says that something changed the event does not matter: of several names'
/// claims that renames connect, PostgreSQL takes any.
std::vector<std::string> without_events_of_changes(std::vector<std::string> claims) {
  for (std::string& claim : claims) {
    const size_t at = claim.find(" changed ");
    if (at != std::string::npos) claim.erase(0, at);
  }
  return sorted(std::move(claims));
}

std::string text_of(const follower::ReadablePosition& position) {
  return std::to_string(position.generation) + "/" + std::to_string(position.cursor) +
         (position.polls_needed ? " polls" : "");
}

/// Whether a line is of the object or, for a database, of something in it.
bool is_at(const std::string& line, const std::string& object) {
  return line.starts_with(object.ends_with(".") ? object : object + " ");
}

}  // namespace

std::set<std::string> PathMirror::paths_in(StoreUnderTest& store) {
  std::set<std::string> paths;
  for (const std::string& line : store.objects()) {
    std::istringstream words(line);
    std::string kind, name, values = "{}", skipped, location;
    words >> kind >> name;
    if (kind == "database") {
      name += ".";
      words >> skipped >> location;
    } else if (kind == "table") {
      words >> skipped >> skipped >> location;
    } else {
      words >> values >> location;
    }
    if (location != "-") paths.insert(name + " " + values + " " + location);
  }
  return paths;
}

void PathMirror::apply(const std::string& change, StoreUnderTest& store) {
  std::istringstream words(change);
  std::string event, verb, object, values, last;
  words >> event >> verb >> object >> values >> last;
  if (verb == "image") {
    paths_ = paths_in(store);
  } else if (verb == "added") {
    EXPECT_TRUE(paths_.insert(object + " " + values + " " + last).second) << change;
  } else if (verb == "removed" && !values.empty()) {
    EXPECT_EQ(paths_.erase(object + " " + values + " " + last), 1u) << change;
  } else if (verb == "removed") {
    std::erase_if(paths_, [&](const std::string& line) { return is_at(line, object); });
  } else {
    std::set<std::string> moved;
    for (const std::string& line : paths_) {
      moved.insert(is_at(line, object) ? last + line.substr(object.size()) : line);
    }
    paths_ = std::move(moved);
  }
}

void PathMirror::follow(StoreUnderTest& store) {
  const std::vector<std::string> changes = store.path_changes();
  for (; read_ < changes.size(); ++read_) apply(changes[read_], store);
}

TwoStores::TwoStores() {
  for (StoreUnderTest* store :
       {static_cast<StoreUnderTest*>(&memory_), static_cast<StoreUnderTest*>(&postgres_)}) {
    store->elect(token_);
    store->create_role("analyst", "root");
    store->create_role("clerk", "root");
  }
}

std::string TwoStores::recent() const {
  std::string text;
  for (size_t i = trace_.size() > 12 ? trace_.size() - 12 : 0; i < trace_.size(); ++i) {
    text += "\n  " + std::to_string(i) + ": " + trace_[i];
  }
  return text;
}

std::vector<std::string> TwoStores::news(std::vector<std::string> lines, size_t& told) {
  lines.erase(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(told));
  told += lines.size();
  return sorted(std::move(lines));
}

void TwoStores::expect_same() {
  SCOPED_TRACE(recent());
  EXPECT_EQ(postgres_.objects(), memory_.objects());
  EXPECT_EQ(postgres_.grants(), memory_.grants());
  EXPECT_EQ(postgres_.re_reads(), memory_.re_reads());
  EXPECT_EQ(without_events_of_changes(postgres_.claims()),
            without_events_of_changes(memory_.claims()));
  EXPECT_EQ(postgres_.revokes(), memory_.revokes());
  EXPECT_EQ(postgres_.orders().pending().revokes_due, memory_.orders().pending().revokes_due);
  EXPECT_EQ(postgres_.refuted(), memory_.refuted());
  EXPECT_EQ(text_of(postgres_.position()), text_of(memory_.position()));
  EXPECT_EQ(news(postgres_.audit(), audits_[1]), news(memory_.audit(), audits_[0]));
  EXPECT_EQ(news(postgres_.permission_changes(), permissions_[1]),
            news(memory_.permission_changes(), permissions_[0]));
  mirrors_[0].follow(memory_);
  mirrors_[1].follow(postgres_);
  EXPECT_EQ(mirrors_[0].paths(), PathMirror::paths_in(memory_));
  EXPECT_EQ(mirrors_[1].paths(), PathMirror::paths_in(postgres_));
}

}  // namespace hmsync::store
