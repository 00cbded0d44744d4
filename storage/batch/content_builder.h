// storage/batch/content_builder.h: deliveries → the rows of everything but messages, each blob and each header value
// once. Views point into the deliveries. One per store() call, on its thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/batch/tables.h"
#include "storage/delivery.h"
#include "storage/options.h"

namespace storage::batch {

using HeaderNames = std::map<std::string, RowId, std::less<>>;

// The dictionary of header names; with options.cache_new_header_names, the batch's unknown names are added to it first.
// Call it before the transaction.
const HeaderNames& header_names_for(Tables& tables, std::span<const Delivery> batch, const Options& options);

class ContentBuilder {
 public:
  // REQUIRES batch and names outlive this object.
  ContentBuilder(std::span<const Delivery> batch, const HeaderNames& names) : batch_(batch), names_(names) {}

  // Collects the rows of the wanted deliveries, asks which parts and values exist, inserts the rest.
  void insert(Tables& tables, const std::vector<bool>& wanted);

  // Takes back what insert() wrote for deliveries that have no stored copy after all, with parts and values that only
  // they use.
  void remove(Tables& tables, const std::vector<bool>& kept) const;

  // delivery → its physmessage; 0 when it was not wanted.
  [[nodiscard]] std::vector<RowId> physmessages() const;

 private:
  struct BlobKey {
    std::string_view hash;
    std::string_view bytes;
    friend bool operator==(const BlobKey&, const BlobKey&) = default;
  };
  struct BlobHash {
    std::size_t operator()(const BlobKey& key) const { return std::hash<std::string_view>()(key.hash); }
  };
  using Positions = std::unordered_map<BlobKey, std::uint32_t, BlobHash>;

  void collect(std::size_t delivery);
  void collect_headers(const Message& message, std::uint32_t physmessage);
  void use_existing_parts(Tables& tables);
  void use_existing_values(Tables& tables);

  std::span<const Delivery> batch_;
  const HeaderNames& names_;
  std::vector<std::size_t> deliveries_;  // physmessage index → delivery
  Positions part_positions_;
  Positions value_positions_;
  Content content_;
  ContentIds ids_;
};

}  // namespace storage::batch
