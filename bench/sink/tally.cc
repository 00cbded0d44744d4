#include "bench/sink/tally.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace bench::sink {

std::string_view label_of(std::string_view head) {
  constexpr std::string_view field = "\r\nSubject: ";
  const std::string_view fields = head.substr(0, head.find("\r\n\r\n"));
  const std::size_t at = fields.find(field);
  if (at == std::string_view::npos) return {};
  const std::string_view subject = fields.substr(at + field.size());
  return subject.substr(0, subject.find_first_of(" \r"));
}

void Tally::session_opened() {
  const std::lock_guard lock(mutex_);
  ++sessions_;
  most_open_ = std::max(most_open_, ++open_);
}

void Tally::session_closed() {
  const std::lock_guard lock(mutex_);
  --open_;
}

void Tally::message(std::string_view label, std::size_t recipients) {
  const std::lock_guard lock(mutex_);
  ++transactions_;
  labels_.insert(labels_.end(), recipients, std::string(label));
}

void Tally::print_json(std::ostream& out) const {
  const std::lock_guard lock(mutex_);
  out << nlohmann::json{{"transactions", transactions_}, {"deliveries", labels_.size()}, {"sessions", sessions_}, {"most_open", most_open_}}
      << '\n';
}

void Tally::print_labels(std::ostream& out) const {
  const std::lock_guard lock(mutex_);
  for (const std::string& label : labels_) out << label << '\n';
}

}  // namespace bench::sink
