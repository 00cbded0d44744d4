#include "storage/mysql/script.h"

#include <algorithm>

namespace storage::mysql {

bool Script::stopped_before(const Statement& statement) const {
  const auto step =
      std::find_if(steps_.begin(), steps_.end(), [&](const Step& s) { return &s.statement == &statement; });
  return step != steps_.end() && static_cast<std::size_t>(step - steps_.begin()) > stopped_at_;
}

}  // namespace storage::mysql
