#include "tests/support/scratch_db.h"

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <stdexcept>

#include "storage/registry.h"
#include "tests/support/server_uri.h"

namespace testing_support {
namespace {

std::string server_of(Engine engine) {
  return server_uri(engine == Engine::postgresql ? "LMTPD_TEST_POSTGRESQL_URI" : "LMTPD_TEST_MYSQL_URI");
}

std::string new_database_name() {
  static std::atomic<int> counter = 0;
  return "lmtpd_" + std::to_string(getpid()) + "_" + std::to_string(++counter);
}

void create_schema(const std::string& uri, const ScratchOptions& options) {
  storage::Options driver_options;
  driver_options.uri = uri;
  driver_options.table_prefix = options.prefix;
  const auto driver = storage::make_driver(driver_options);
  std::unique_ptr<storage::Admin> admin;
  storage::Status status = driver->open_admin(admin);
  if (status.ok()) status = admin->create_schema(options.indexes);
  if (!status.ok()) throw std::runtime_error("scratch store: " + status.detail());
}

// Copying a database that has the schema is several times faster than making the schema. The template's name holds a
// digest of the statements, so servers that live longer than one build never hand out an old schema.
std::string postgresql_template(SqlClient& server, const ScratchOptions& options) {
  std::string all;
  for (const auto& statement :
       storage::schema::create_statements(Engine::postgresql, options.indexes, options.prefix)) {
    all += statement;
  }
  const std::string name = "lmtpd_template_" + std::to_string(std::hash<std::string>{}(all));
  server.execute("SELECT pg_advisory_lock(1)");
  if (server.query("SELECT 1 FROM pg_database WHERE datname = '" + name + "'").empty()) {
    const std::string unfinished = new_database_name();
    server.execute("CREATE DATABASE " + unfinished);
    create_schema(with_database(server_of(Engine::postgresql), unfinished), options);
    server.execute("ALTER DATABASE " + unfinished + " RENAME TO " + name);
  }
  server.execute("SELECT pg_advisory_unlock(1)");
  return name;
}

}  // namespace

std::string with_database(const std::string& uri, const std::string& database) {
  const auto path = uri.find('/', uri.find("://") + 3);
  const auto query = uri.find('?');
  return uri.substr(0, path) + "/" + database + (query == std::string::npos ? "" : uri.substr(query));
}

ScratchStore::ScratchStore(Engine engine, const ScratchOptions& options) : engine_(engine), prefix_(options.prefix) {
  if (engine == Engine::sqlite) {
    make_file();
  } else {
    make_database(options);
  }
  if (options.create_schema && engine != Engine::postgresql) create_schema(uri_, options);
}

ScratchStore::~ScratchStore() {
  sql_.reset();
  try {
    if (engine_ == Engine::sqlite) {
      std::filesystem::remove_all(folder_);
    } else {
      const std::string force = engine_ == Engine::postgresql ? " WITH (FORCE)" : "";
      open_sql_client(server_of(engine_))->execute("DROP DATABASE " + database_ + force);
    }
  } catch (const std::exception&) {
    // The servers may be gone already; their scratch folder goes with them.
  }
}

storage::Options ScratchStore::options() const {
  storage::Options options;
  options.uri = uri_;
  options.table_prefix = prefix_;
  return options;
}

std::unique_ptr<storage::Driver> ScratchStore::driver() const {
  return storage::make_driver(options());
}

SqlClient& ScratchStore::sql() {
  if (!sql_) sql_ = open_sql_client(uri_);
  return *sql_;
}

void ScratchStore::make_file() {
  std::string path = (std::filesystem::temp_directory_path() / "lmtpd-store.XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make " + path);
  folder_ = path;
  uri_ = "sqlite://" + path + "/store.db";
}

void ScratchStore::make_database(const ScratchOptions& options) {
  const std::string server = server_of(engine_);
  const auto client = open_sql_client(server);
  database_ = new_database_name();
  std::string statement = "CREATE DATABASE " + database_;
  if (engine_ == Engine::postgresql && options.create_schema)
    statement += " TEMPLATE " + postgresql_template(*client, options);
  client->execute(statement);
  uri_ = with_database(server, database_);
}

}  // namespace testing_support
