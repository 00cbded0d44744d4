// lmtpd/config/option_binding.h: ties an option of the table to a field of Settings, so that the field's own type and default are the only
// ones. Private to the config room.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lmtpd/config/option_table.h"

namespace lmtpd::config {

template <class T>
concept Duration = requires { typename T::rep; typename T::period; };

template <class Field>
Value to_value(const Field& field) {
  if constexpr (std::is_same_v<Field, bool>) {
    return field;
  } else if constexpr (Duration<Field>) {
    return std::int64_t{std::chrono::duration_cast<std::chrono::microseconds>(field).count()};
  } else if constexpr (std::integral<Field>) {
    return static_cast<std::int64_t>(field);
  } else {
    return field;
  }
}

template <class Field>
void from_value(Field& field, const Value& value) {
  if constexpr (std::is_same_v<Field, bool>) {
    field = std::get<bool>(value);
  } else if constexpr (Duration<Field>) {
    field = std::chrono::duration_cast<Field>(std::chrono::microseconds(std::get<std::int64_t>(value)));
  } else if constexpr (std::integral<Field>) {
    field = static_cast<Field>(std::get<std::int64_t>(value));
  } else {
    field = std::get<Field>(value);
  }
}

// Binds an option to one field of Settings: where(settings) is a reference to it.
template <class Where>
Option option(std::string key, Type type, Where where, std::string help) {
  Option out;
  out.key = std::move(key);
  out.type = type;
  out.help = std::move(help);
  out.get = [where](const Settings& settings) { return to_value(where(const_cast<Settings&>(settings))); };
  out.set = [where](Settings& settings, const Value& value) { from_value(where(settings), value); };
  return out;
}

inline Option within(Option out, std::int64_t min, std::int64_t max) {
  out.min = min;
  out.max = max;
  return out;
}

inline Option reloadable(Option out) {
  out.reloadable = true;
  return out;
}

inline Option with_example(Option out, std::string example) {
  out.example = std::move(example);
  return out;
}

// An option whose value is an enumerator: the words in enumerator order.
template <class Where>
Option choice(std::string key, std::vector<std::string> words, Where where, std::string help) {
  Option out;
  out.key = std::move(key);
  out.type = Type::choice;
  out.help = std::move(help);
  out.choices = words;
  out.get = [where, words](const Settings& settings) -> Value {
    return words.at(static_cast<std::size_t>(where(const_cast<Settings&>(settings))));
  };
  out.set = [where, words](Settings& settings, const Value& value) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == std::get<std::string>(value)) {
        using Enum = std::remove_reference_t<decltype(where(settings))>;
        where(settings) = static_cast<Enum>(i);
      }
    }
  };
  return out;
}

inline Option word_choice(Option out, std::vector<std::string> words) {
  out.type = Type::choice;
  out.choices = std::move(words);
  return out;
}

}  // namespace lmtpd::config
