#include "follower/live_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "follower/event_order.h"

namespace hmsync::follower {

namespace {

/// Where events come after a time without: more of large ones may be too much for a metastore.
constexpr int32_t kFirstAsked = 100;
/// Orders tell of no more: there may be others.
constexpr size_t kMostPending = 500;
constexpr int64_t kEverything = std::numeric_limits<int64_t>::max();

/// Where to halve: never between two events of one id, whose second half would not be asked for
/// again. 0: they all have one id.
size_t half_between_ids(std::span<const PlannedEvent> events) {
  const auto id = [&](size_t i) { return events[i].event->id; };
  for (size_t at = events.size() / 2; at > 0; --at) {
    if (id(at) != id(at - 1)) return at;
  }
  for (size_t at = events.size() / 2 + 1; at < events.size(); ++at) {
    if (id(at) != id(at - 1)) return at;
  }
  return 0;
}

}  // namespace

LiveStream::LiveStream(Term& term)
    : term_(term),
      window_(term.options.overlap_events),
      ask_(std::min(kFirstAsked, term.options.batch_events)) {}

void LiveStream::restart() {
  window_.restart(term_.state->digests, term_.now());
  sought_ = false;
  // After a reset the ids are others.
  if (term_.state->cursor.value_or(0) < not_again_through_) not_again_through_ = 0;
}

void LiveStream::forget_graces() {
  hole_.clear();
  backwards_.clear();
}

void LiveStream::begin_whole_look() {
  whole_look_ = WholeLook::wanted;
  shown_ = term_.head;
}

bool LiveStream::whole_look_is_applied() const {
  return whole_look_ == WholeLook::none && term_.cursor() >= shown_;
}

bool LiveStream::poll(std::optional<int64_t> limit, const std::vector<Scope>& pending) {
  const int64_t cursor = term_.cursor();
  const std::optional<int64_t> after = ask_after();
  if (!after) {
    if (term_.head < cursor) return go_back();
    forget_graces();
    whole_look_ = WholeLook::none;
    return false;
  }
  const std::optional<EventPage> delivered = ask(*after);
  if (!delivered) return true;
  const EventPage& page = *delivered;
  const std::vector<processor::EventDigest> seen = digests_to_cursor(page);
  if (is_other_history(page, seen, *after)) return true;
  if (term_.head < cursor && page.events.empty()) {
    if (whole_look_ == WholeLook::under_way) whole_look_ = WholeLook::wanted;
    return go_back();
  }
  backwards_.clear();
  if (whole_look_ != WholeLook::none) {
    whole_look_ = WholeLook::under_way;
    if (!page.events.empty()) shown_ = std::max(shown_, page.events.back().id);
  }

  std::vector<PlannedEvent> planned = plan_late(page, seen);
  std::span<const processor::Event> fresh = above_cursor(page);
  // A head that went back for a moment tells nothing of what is missing.
  const int64_t head = std::max(term_.head, cursor);
  if (fresh.empty() && is_partial(page)) {
    // No room for more: 4.x caps its answers, and a page is cut by its bytes.
    go_on_after_ = page.events.back().id - 1;
    if (*go_on_after_ <= *after) ++*go_on_after_;
    if (!planned.empty()) apply(planned);
    return true;
  }
  whole_look_ = WholeLook::none;
  if (look_began_) looked_at_ = std::exchange(look_began_, std::nullopt);
  const Judgement judgement = judge(cursor, head, fresh);
  std::span<const processor::Event> usable = fresh.first(judgement.usable);
  while (limit && !usable.empty() && usable.back().id > *limit) {
    usable = usable.first(usable.size() - 1);
  }
  const bool limited = usable.size() < judgement.usable;
  if (usable.empty() && judgement.missing && !limited && planned.empty()) {
    return wait_for_hole(*judgement.missing);
  }
  DoubtfulNames doubtful;
  for (const Scope& scope : pending) doubtful.add(scope);
  if (pending.size() >= kMostPending) doubtful.add(Scope{});
  for (const PlannedEvent& late : planned) {
    for (const processor::Claim& claim : late.claims) doubtful.add(claim);
  }
  for (PlannedEvent& event : plan_events(usable, term_.plain_listener, std::move(doubtful))) {
    planned.push_back(std::move(event));
  }
  if (!usable.empty()) hole_.clear();
  ask_as_much_as_fits(page, static_cast<int32_t>(fresh.size()));
  if (!planned.empty()) apply(planned);
  return !limited && !judgement.missing && term_.cursor() < head;
}

// What a cut page leaves out was made and sent by the metastore for nothing.
void LiveStream::ask_as_much_as_fits(const EventPage& page, int32_t taken) {
  if (page.cut) {
    ask_ = std::max(1, 2 * taken);
  } else if (taken < ask_) {
    ask_ = kFirstAsked;
  } else {
    ask_ = 2 * ask_;
  }
  ask_ = std::min(ask_, term_.options.batch_events);
}

// Nothing: there is nothing to ask for. Otherwise the id after which events are asked for: before
// the cursor's own event, which shows that this is still the same history.
std::optional<int64_t> LiveStream::ask_after() {
  const int64_t cursor = term_.cursor();
  const bool whole = whole_look_ == WholeLook::wanted;
  if (whole) go_on_after_.reset();
  if (go_on_after_) return std::min(*std::exchange(go_on_after_, std::nullopt), cursor);
  const auto lowest = window_.lowest_id();
  const auto since = looked_at_ ? *looked_at_ - term_.options.settle
                                : std::chrono::steady_clock::time_point::min();
  const auto unsettled = window_.unsettled_since(since);
  // A snapshot may have had to do without: what its id has now tells this history from another one,
  // and is as good as late.
  const bool is_deliverable = not_again_through_ < cursor;
  if (!lowest && cursor > 0 && is_deliverable && !std::exchange(sought_, true)) return cursor - 1;
  if (term_.head == cursor && !unsettled && !(whole && lowest)) return std::nullopt;
  if (!lowest) {
    if (term_.head <= cursor) return std::nullopt;
    return cursor;
  }
  int64_t first = whole || term_.head < cursor ? *lowest : unsettled.value_or(cursor);
  look_began_ = term_.now();
  // Far behind, a page is there for new events; twins of the cursor's event may come late.
  if (!whole && term_.head - cursor > term_.options.overlap_events) {
    first = cursor;
    look_began_.reset();
  }
  const int64_t after = std::max(std::min(first, cursor) - 1, not_again_through_);
  if (after >= cursor && term_.head <= cursor) return std::nullopt;
  return after;
}

// Ends below the cursor, or within it, although events that are known come after it.
bool LiveStream::is_partial(const EventPage& page) const {
  if (page.events.empty()) return false;
  return page.cut || window_.count_from(page.events.back().id + 1) > 0;
}

// An answer that the metastore cannot deliver, although it tells its head, is asked for in ever
// smaller parts; one event that it cannot deliver alone is as good as missing. Nothing: history
// counts as lost now.
std::optional<EventPage> LiveStream::ask(int64_t after) {
  term_.ports.observer.entered(Step::read_events);
  const int64_t known = window_.count_from(after + 1);
  const int64_t most = std::min<int64_t>(ask_ + known, std::numeric_limits<int32_t>::max());
  try {
    EventPage page = term_.ports.log.events(
        {after, static_cast<int32_t>(most), term_.options.batch_bytes, true});
    undeliverable_.clear();
    given_up_ = false;
    return page;
  } catch (const AnotherMetastore&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::transient) throw;
    if (ask_ > 1) {
      ask_ = std::max(1, ask_ / 8);  // each try costs a longer wait than the one before
      throw;
    }
    if (!undeliverable_.over(term_, term_.options.gap_grace)) throw;
    // Not even after a snapshot, so it is one that is known already.
    if (given_up_ && after < term_.cursor()) {
      not_again_through_ = term_.cursor();
      throw;
    }
    given_up_ = true;
    term_.lose_history("gap", term_.cursor() + 1,
                       fmt::format("no event after {} can be had from the metastore, a snapshot is "
                                   "taken: {}",
                                   after, error.what()));
    return std::nullopt;
  }
}

std::vector<processor::EventDigest> LiveStream::digests_to_cursor(const EventPage& page) const {
  std::vector<processor::EventDigest> digests;
  for (const processor::Event& event : page.events) {
    if (event.id > term_.cursor()) break;
    digests.push_back(processor::digest(event));
  }
  return digests;
}

// A remembered event that is missing from where the answer must have it: not above its last id,
// where a metastore may have capped it, nor below its first, where the log was cleaned.
bool LiveStream::is_other_history(const EventPage& page,
                                  std::span<const processor::EventDigest> seen, int64_t after) {
  if (page.events.empty()) return false;
  const bool all_is_there = term_.head < term_.cursor() && !page.cut;
  const int64_t from = std::max(after + 1, page.events.front().id);
  const int64_t to = all_is_there ? kEverything : page.events.back().id;
  const std::optional<int64_t> missing = window_.missing_from(seen, from, to);
  if (!missing) return false;
  term_.lose_history("reset", *missing,
                     fmt::format("event {}, which was applied, is not in the metastore's log any "
                                 "more, though older ones are: it is another history, a snapshot "
                                 "is taken",
                                 *missing));
  return true;
}

std::vector<PlannedEvent> LiveStream::plan_late(const EventPage& page,
                                                std::span<const processor::EventDigest> seen) {
  std::vector<PlannedEvent> late;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (window_.knows(seen[i])) continue;
    Standing standing;
    standing.late = true;
    standing.shared = window_.has_id(seen[i].id);
    standing.plain = term_.plain_listener;
    late.push_back(plan_event(page.events[i], standing));
  }
  return late;
}

std::span<const processor::Event> LiveStream::above_cursor(const EventPage& page) const {
  const auto first = std::find_if(page.events.begin(), page.events.end(),
                                  [&](const auto& event) { return event.id > term_.cursor(); });
  return {first, page.events.end()};
}

bool LiveStream::wait_for_hole(int64_t missing) {
  if (!hole_.over(term_, term_.options.gap_grace)) return false;
  term_.lose_history("gap", missing,
                     fmt::format("event {} is missing from the metastore's log (head {}): history "
                                 "is lost, a snapshot is taken",
                                 missing, term_.head));
  return true;
}

// The head is below the cursor, and no event says whether this is still the same history.
bool LiveStream::go_back() {
  if (!backwards_.over(term_, term_.options.gap_grace)) return false;
  term_.lose_history("reset", term_.cursor(),
                     fmt::format("the metastore's head {} is below the cursor {}: its log was "
                                 "reset, a snapshot is taken",
                                 term_.head, term_.cursor()));
  return true;
}

// An event that the store cannot take is found by halving, and set aside alone. False then: what
// comes after it was planned as if it had been applied, and is asked for again.
bool LiveStream::apply(std::span<PlannedEvent> events) {
  try {
    apply_once(events);
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::poison) throw;
    const size_t half = half_between_ids(events);
    if (half > 0) return apply(events.first(half)) && apply(events.subspan(half));
    for (PlannedEvent& event : events) {
      if (event.outcome == PlannedEvent::Outcome::quarantined) throw;
      quarantine(event, error.what());
    }
    apply_once(events);
    return false;
  }
}

void LiveStream::apply_once(std::span<const PlannedEvent> events) {
  const auto begun = term_.now();
  PlannedBatch planned = make_batch(events, term_.cursor());
  EventWindow before = window_;
  remember(events);
  planned.batch.digests = window_.digests();
  const std::vector<Notice> notices = notices_of(events);
  planned.batch.notes = term_.notes;
  for (const Notice& notice : notices) {
    // The quarantine's rows are audited by themselves.
    if (notice.kind == Notice::Kind::poison) continue;
    planned.batch.notes.push_back({to_string(notice.kind), notice.event, notice.text});
  }
  term_.ports.observer.entered(Step::apply_batch);
  try {
    term_.ports.events.apply(term_.fence(), planned.batch);
  } catch (...) {
    window_ = std::move(before);
    throw;
  }
  term_.ports.observer.entered(Step::batch_applied);
  term_.notes.clear();
  for (const Notice& notice : notices) term_.ports.observer.noticed(notice);
  count_shared(planned.batch);
  term_.state->cursor = planned.batch.cursor;
  term_.state->shared_ids_seen = term_.state->shared_ids_seen || planned.batch.counts.shared_id > 0;
  term_.committed();
  BatchReport report;
  report.state = *term_.state;
  report.counts = planned.batch.counts;
  report.applied_by_type = std::move(planned.applied_by_type);
  report.ignored_by_type = std::move(planned.ignored_by_type);
  report.quarantined_by_type = std::move(planned.quarantined_by_type);
  report.mutations = static_cast<int64_t>(planned.batch.mutations.size());
  report.took = term_.now() - begun;
  term_.ports.observer.applied(report);
}

void LiveStream::remember(std::span<const PlannedEvent> events) {
  const int64_t last = events.back().event->id;
  for (const PlannedEvent& planned : events) {
    if (planned.event->id <= last - term_.options.overlap_events) continue;
    window_.add(processor::digest(*planned.event), term_.now());
  }
}

std::vector<Notice> LiveStream::notices_of(std::span<const PlannedEvent> events) const {
  std::vector<Notice> notices;
  for (const PlannedEvent& planned : events) {
    const processor::Event& event = *planned.event;
    if (planned.standing.late) {
      notices.push_back({Notice::Kind::late, event.id,
                         fmt::format("event {} ({}) came late, when the cursor was at {}; what it "
                                     "names is read again",
                                     event.id, event.type, term_.cursor())});
    }
    if (planned.outcome == PlannedEvent::Outcome::quarantined) {
      notices.push_back({Notice::Kind::poison, event.id, planned.reason});
    }
  }
  return notices;
}

// Common where it happens at all: told once a minute.
void LiveStream::count_shared(const Batch& batch) {
  if (batch.counts.shared_id == 0) return;
  shared_ids_ += batch.counts.shared_id;
  if (shared_told_ && term_.now() - *shared_told_ < std::chrono::minutes(1)) return;
  term_.tell(Notice::Kind::shared_id, batch.cursor,
             fmt::format("{} events up to {} share their ids with others; what they name is read "
                         "again",
                         shared_ids_, batch.cursor));
  shared_told_ = term_.now();
  shared_ids_ = 0;
}

}  // namespace hmsync::follower
