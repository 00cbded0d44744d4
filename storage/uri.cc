#include "storage/uri.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace storage {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// '+' stays a plus: these are no HTML forms.
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) throw std::invalid_argument("storage.uri: '%' must be followed by two hexadecimal digits");
    if (high == 0 && low == 0) throw std::invalid_argument("storage.uri: %00 is not allowed");
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::uint16_t port_number(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) {
    // The text is not shown: with an unescaped slash in a password it would be a part of it.
    throw std::invalid_argument("storage.uri: the port must be a number from 1 to 65535 (in user and password write '/' as %2F)");
  }
  return port;
}

void parse_host(std::string_view text, Uri& uri) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) throw std::invalid_argument("storage.uri: ']' is missing behind the IPv6 address");
    uri.host = percent_decoded(text.substr(1, close - 1));
    port = text.substr(close + 1);
    if (!port.empty() && port[0] != ':') throw std::invalid_argument("storage.uri: only a port may follow ']'");
  } else {
    const auto colon = text.find(':');
    uri.host = percent_decoded(text.substr(0, colon));
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  if (port.size() > 1) uri.port = port_number(port.substr(1));
}

void parse_authority(std::string_view text, Uri& uri) {
  const auto at = text.rfind('@');
  if (at != std::string_view::npos) {
    const auto credentials = text.substr(0, at);
    const auto colon = credentials.find(':');
    uri.user = percent_decoded(credentials.substr(0, colon));
    if (colon != std::string_view::npos) uri.password = percent_decoded(credentials.substr(colon + 1));
    text.remove_prefix(at + 1);
  }
  parse_host(text, uri);
}

void parse_query(std::string_view text, Uri& uri) {
  while (!text.empty()) {
    const auto pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const std::string name = percent_decoded(pair.substr(0, equals));
    if (equals == std::string_view::npos) throw std::invalid_argument("storage.uri: parameter \"" + name + "\" has no value");
    if (!uri.parameters.emplace(name, percent_decoded(pair.substr(equals + 1))).second) {
      throw std::invalid_argument("storage.uri: parameter \"" + name + "\" is given twice");
    }
  }
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> Uri::parameter(std::string_view name) const {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return std::nullopt;
  return found->second;
}

std::string uri_scheme(std::string_view uri) {
  const auto colon = uri.find(':');
  if (colon == std::string_view::npos) return {};
  std::string scheme(uri.substr(0, colon));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return scheme;
}

Uri parse_uri(std::string_view text) {
  Uri uri;
  uri.scheme = uri_scheme(text);
  if (uri.scheme.empty() || !text.substr(uri.scheme.size()).starts_with("://")) {
    throw std::invalid_argument("storage.uri must look like scheme://…, for example sqlite:///var/lib/lmtpd/store.db");
  }
  text.remove_prefix(uri.scheme.size() + 3);
  if (text.find('#') != std::string_view::npos) {
    throw std::invalid_argument("storage.uri: '#' must be written as %23");
  }
  const auto question = text.find('?');
  if (question != std::string_view::npos) {
    parse_query(text.substr(question + 1), uri);
    text = text.substr(0, question);
  }
  const auto slash = text.find('/');
  if (slash != std::string_view::npos) uri.path = percent_decoded(text.substr(slash));
  parse_authority(text.substr(0, slash), uri);
  return uri;
}

void require_known_parameters(const Uri& uri, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : uri.parameters) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string guess = nearest(name, known);
    throw std::invalid_argument("storage.uri: unknown parameter \"" + name + "\"" +
                                (guess.empty() ? std::string() : "; did you mean \"" + guess + "\"?"));
  }
}

std::string password_for(const Options& options, const Uri& uri) {
  if (options.password_file.empty()) return uri.password;
  errno = 0;
  std::ifstream file(options.password_file);
  std::string line;
  if (!std::getline(file, line)) {
    const std::string why = std::generic_category().message(errno);
    throw std::invalid_argument("storage.password_file: " +
                                (file.eof() ? options.password_file + " is empty"
                                            : "cannot read " + options.password_file + ": " + why));
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::string nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return std::string(best);
}

}  // namespace storage
