#include "daemon/http_exchange.h"

#include "processor/error.h"

namespace hmsync::daemon {
namespace {

constexpr size_t kFlushBytes = 16 << 10;

// Collects small pieces and hands them over in larger ones.
class StreamWriter : public ResponseStream {
 public:
  StreamWriter(std::shared_ptr<AnswerTarget> target, std::shared_ptr<StreamState> state,
               size_t limit)
      : target_(std::move(target)), state_(std::move(state)), limit_(limit) {}

  void write(std::string_view text) override {
    collected_ += text;
    if (collected_.size() >= kFlushBytes) flush();
  }

  [[nodiscard]] bool begun() const { return begun_; }

  void finish() {
    flush();
    end(&StreamState::finished);
  }
  void fail() { end(&StreamState::failed); }

 private:
  void flush() {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->gone || state_->pending.size() < limit_; });
    if (state_->gone) throw Error(ErrorKind::transient, "the client left before the answer's end");
    state_->pending += collected_;
    collected_.clear();
    begun_ = true;
    schedule();
  }

  void end(bool StreamState::*how) {
    const std::lock_guard lock(state_->mutex);
    (*state_).*how = true;
    if (!state_->gone) schedule();
  }

  // Under the state's mutex.
  void schedule() {
    if (state_->scheduled) return;
    state_->scheduled = true;
    target_->post_pump(state_);
  }

  std::shared_ptr<AnswerTarget> target_;
  std::shared_ptr<StreamState> state_;
  const size_t limit_;
  std::string collected_;
  bool begun_ = false;
};

}  // namespace

ConnectionExchange::ConnectionExchange(HttpRequest request, bool head_only,
                                       std::shared_ptr<AnswerTarget> target,
                                       size_t stream_buffer_bytes)
    : request_(std::move(request)),
      head_only_(head_only),
      stream_buffer_bytes_(stream_buffer_bytes),
      target_(std::move(target)) {}

// The connection, for whoever takes it first; nothing afterwards.
std::shared_ptr<AnswerTarget> ConnectionExchange::take_target() {
  std::function<void()> dropped;  // destroyed after the lock: it may own anything
  const std::lock_guard lock(mutex_);
  dropped.swap(on_gone_);
  return std::move(target_);
}

void ConnectionExchange::reply(HttpResponse response) {
  const std::shared_ptr<AnswerTarget> target = take_target();
  if (target) target->post_reply(std::move(response));
}

void ConnectionExchange::on_gone(std::function<void()> gone) {
  {
    const std::lock_guard lock(mutex_);
    if (!gone_) {
      if (target_) on_gone_ = std::move(gone);
      return;
    }
  }
  gone();
}

void ConnectionExchange::client_left() {
  std::function<void()> gone;
  std::shared_ptr<AnswerTarget> target;
  std::shared_ptr<StreamState> stream;
  {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    gone.swap(on_gone_);
    target.swap(target_);
    stream = stream_;
  }
  if (stream) {
    const std::lock_guard lock(stream->mutex);
    stream->gone = true;
    stream->changed.notify_all();
  }
  if (gone) gone();
}

void ConnectionExchange::stream(const std::string& content_type,
                                const std::function<void(ResponseStream&)>& produce) {
  if (head_only_) return reply({200, content_type, ""});
  const auto state = std::make_shared<StreamState>();
  state->content_type = content_type;
  std::shared_ptr<AnswerTarget> target;
  {
    const std::lock_guard lock(mutex_);
    if (!target_) return;
    target = target_;
    stream_ = state;
  }
  StreamWriter writer(target, state, stream_buffer_bytes_);
  try {
    produce(writer);
    writer.finish();
  } catch (...) {
    if (!writer.begun()) throw;
    take_target();
    writer.fail();
    return;
  }
  take_target();
}

}  // namespace hmsync::daemon
