// The lowest layer of a connection: holds each call to its deadline, and each element of an answer
// to its size, by what really comes over the wire. Not for use outside this folder.
#pragma once

#include <thrift/transport/TSocket.h>
#include <thrift/transport/TVirtualTransport.h>

#include <chrono>
#include <memory>

namespace hmsync::hmsclient {

/// Thrift's own time-out is for one recv, and its own count of message bytes leaves out what does
/// not pass through borrow() (0.17).
class CallTransport : public apache::thrift::transport::TVirtualTransport<CallTransport> {
 public:
  CallTransport(std::shared_ptr<apache::thrift::transport::TSocket> socket, int64_t max_bytes)
      : socket_(std::move(socket)), max_bytes_(max_bytes), left_(max_bytes) {}

  void set_deadline(std::chrono::steady_clock::time_point deadline) { deadline_ = deadline; }
  void reset_size() { left_ = max_bytes_; }

  [[nodiscard]] bool isOpen() const override { return socket_->isOpen(); }
  bool peek() override { return socket_->peek(); }
  void open() override {}
  void close() override { socket_->close(); }
  void flush() override { socket_->flush(); }
  uint32_t read(uint8_t* buffer, uint32_t size);
  void write(const uint8_t* data, uint32_t size);

 private:
  [[nodiscard]] int left_milliseconds() const;

  std::shared_ptr<apache::thrift::transport::TSocket> socket_;
  int64_t max_bytes_;
  int64_t left_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace hmsync::hmsclient
