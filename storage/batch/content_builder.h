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
  // REQUIRES batch, names and known outlive this object.
  ContentBuilder(std::span<const Delivery> batch, const HeaderNames& names, KnownValues& known)
      : batch_(batch), names_(names), known_(known) {}

  // The rows of the wanted deliveries. Call it once.
  void collect(const std::vector<bool>& wanted);
  // Rows that the store has already are referred to, not inserted. found answers rows().
  void use(const Survey& found);
  // Only these deliveries' rows are left. REQUIRES use(), and wanted to be a part of what was collected.
  void keep(const std::vector<bool>& wanted);
  [[nodiscard]] const Content& rows() const { return content_; }

  // Takes back what was inserted for deliveries that have no stored copy after all, with parts and values that only
  // they use. ids: of rows().
  void remove(Tables& tables, const ContentIds& ids, const std::vector<bool>& kept) const;

  // delivery → its physmessage; 0 when it was not wanted.
  [[nodiscard]] std::vector<RowId> physmessages(const ContentIds& ids) const;

 private:
  struct BlobKey {
    std::string_view hash;
    std::string_view bytes;
    friend bool operator==(const BlobKey&, const BlobKey&) = default;
  };
  struct BlobHash {
    std::size_t operator()(const BlobKey& key) const { return std::hash<std::string_view>()(key.hash); }
  };
  void collect_delivery(std::size_t delivery);
  void collect_headers(const Message& message, std::uint32_t physmessage);
  RowRef value_of(const HeaderField& field);
  void use_parts(const std::vector<RowId>& found);
  void use_values(const std::vector<RowId>& found);

  std::span<const Delivery> batch_;
  const HeaderNames& names_;
  KnownValues& known_;
  std::vector<std::size_t> deliveries_;  // physmessage index → delivery
  std::unordered_map<BlobKey, RowRef, BlobHash> parts_;
  std::unordered_map<BlobKey, RowRef, BlobHash> values_;
  Content content_;
};

}  // namespace storage::batch
