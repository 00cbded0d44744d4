#include "storage/postgresql/spare_ids.h"

#include <algorithm>

namespace storage::postgresql {
namespace {

// Spare ids for this many batches like the present one, within limits.
constexpr std::size_t spare_batches = 7;
constexpr std::size_t max_spare = 500;

std::array<std::size_t, 3> wanted_for(const batch::Content& content) {
  return {content.physmessages.size(), content.parts.size(), content.values.size()};
}

}  // namespace

std::vector<batch::RowId> SpareIds::Block::take(std::size_t count) {
  std::vector<batch::RowId> ids(spare.end() - static_cast<std::ptrdiff_t>(count), spare.end());
  spare.resize(spare.size() - count);
  return ids;
}

bool SpareIds::enough_for(const batch::Content& content) const {
  const auto wanted = wanted_for(content);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (blocks_[i].spare.size() < wanted[i]) return false;
  }
  return true;
}

void SpareIds::find_sequences() {
  const Rows rows = session_.execute(Statement::find_sequences);
  for (int row = 0; row < rows.size(); ++row) {
    const std::int64_t sequence = rows.octets(row, 1).empty() ? 0 : rows.int8(row, 1);
    blocks_.at(static_cast<std::size_t>(rows.int8(row, 0) - 1)).sequence = sequence;
  }
  const auto missing = [](const Block& block) { return block.sequence == 0; };
  if (std::any_of(blocks_.begin(), blocks_.end(), missing)) {
    throw Error("42704", "an id column of physmessage, mimeparts or headervalue has no sequence", Error::Link::alive);
  }
}

Session::Step SpareIds::draw_for(const batch::Content& content) {
  if (blocks_[0].sequence == 0) find_sequences();
  Arguments arguments;
  for (const Block& block : blocks_) arguments.add(block.sequence);
  const auto wanted = wanted_for(content);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t target = wanted[i] + std::min(wanted[i] * spare_batches, max_spare);
    const std::size_t present = blocks_[i].spare.size();
    arguments.add(static_cast<std::int64_t>(target > present ? target - present : 0));
  }
  return {Statement::draw_ids, std::move(arguments)};
}

void SpareIds::add(const Rows& drawn) {
  for (int row = 0; row < drawn.size(); ++row) {
    blocks_.at(static_cast<std::size_t>(drawn.int8(row, 0) - 1)).spare.push_back(drawn.int8(row, 1));
  }
}

batch::ContentIds SpareIds::take_for(const batch::Content& content) {
  return {blocks_[0].take(content.physmessages.size()), blocks_[1].take(content.parts.size()),
          blocks_[2].take(content.values.size())};
}

void SpareIds::clear() {
  for (Block& block : blocks_) block = Block();
}

}  // namespace storage::postgresql
