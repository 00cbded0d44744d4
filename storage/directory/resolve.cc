#include "storage/directory/directory.h"
#include "storage/directory/search.h"

namespace storage::directory {

void resolve(Directory& directory, const Options& options, std::span<const Address> in, std::span<Resolution> out,
             std::vector<std::string>* steps) {
  Search(directory, options, in, steps).run(out);
}

}  // namespace storage::directory
