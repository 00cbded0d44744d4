#include <CLI/CLI.hpp>

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "lmtpd/config/config.h"
#include "lmtpd/ctl/commands.h"
#include "storage/registry.h"
#include "storage/uri.h"

namespace lmtpd::ctl {
namespace {

// What the command line asked for; action is set by the subcommand that matched.
struct Request {
  std::string config = "/etc/lmtpd/lmtpd.toml";
  bool json = false;
  std::string indexes = "dbmail";
  NewUser new_user;
  UserChange change;
  std::string user, alias, target, mailbox = "INBOX", address;
  std::int64_t uid = 0;
  std::function<int(Session&)> action;
};

void add_schema(CLI::App& app, Request& r) {
  CLI::App* schema = app.add_subcommand("schema", "Create or check the tables")->require_subcommand(1);
  CLI::App* create = schema->add_subcommand("create", "Create all tables in an empty database");
  create->add_option("--indexes", r.indexes, "Index set: dbmail (all of DBMail's) or lean (fewer, faster)")
      ->check(CLI::IsMember({"dbmail", "lean"}))
      ->capture_default_str();
  create->callback([&r] { r.action = [&r](Session& s) { return schema_create(s, r.indexes); }; });
  schema->add_subcommand("check", "Name everything that lmtpd misses; exit 1 if something is missing")->callback([&r] {
    r.action = [](Session& s) { return schema_check(s); };
  });
}

constexpr const char* password_stdin = "Read the password from standard input (one line)";
constexpr const char* password_scheme = "crypt (salted SHA-512), sha512 (hex), none (as given)";

void add_user_set(CLI::App& user, Request& r) {
  CLI::App* set = user.add_subcommand("set", "Change a user's password, quota or state; what is not given stays");
  set->add_option("USERID", r.change.user, "Login name or id")->required();
  set->add_option("--quota", r.change.quota, "Size limit, as 500MiB; 0: none");
  set->add_option_function<std::string>(
         "--active", [&r](const std::string& word) { r.change.active = word == "yes"; },
         "yes, or no: his mail is refused (550 5.2.1)")
      ->check(CLI::IsMember({"yes", "no"}));
  set->add_flag("--password-stdin", r.change.password_stdin, password_stdin);
  set->add_option("--password-scheme", r.change.password_scheme, password_scheme)
      ->check(CLI::IsMember({"crypt", "sha512", "none"}))
      ->capture_default_str();
  set->callback([&r] { r.action = [&r](Session& s) { return user_set(s, r.change); }; });
}

void add_user(CLI::App& app, Request& r) {
  CLI::App* user = app.add_subcommand("user", "Users of the store")->require_subcommand(1);
  CLI::App* add = user->add_subcommand("add", "Add a user with his INBOX");
  add->add_option("USERID", r.new_user.userid, "Login name, usually the mail address")->required();
  add->add_option("--quota", r.new_user.quota, "Size limit, as 500MiB; 0: none")->capture_default_str();
  add->add_option("--alias", r.new_user.aliases, "A further address of the user; may be given several times");
  add->add_flag("--password-stdin", r.new_user.password_stdin, password_stdin);
  add->add_option("--password-scheme", r.new_user.password_scheme, password_scheme)
      ->check(CLI::IsMember({"crypt", "sha512", "none"}))
      ->capture_default_str();
  add->callback([&r] { r.action = [&r](Session& s) { return user_add(s, r.new_user); }; });
  add_user_set(*user, r);
  user->add_subcommand("list", "All users")->callback([&r] { r.action = [](Session& s) { return user_list(s); }; });
  CLI::App* remove = user->add_subcommand("remove", "Remove a user with all mailboxes, messages and aliases");
  remove->add_option("USERID", r.user, "Login name or id")->required();
  remove->callback([&r] { r.action = [&r](Session& s) { return user_remove(s, r.user); }; });
}

void add_alias(CLI::App& app, Request& r) {
  CLI::App* alias = app.add_subcommand("alias", "Further addresses")->require_subcommand(1);
  CLI::App* add = alias->add_subcommand("add", "Deliver mail for ALIAS to TARGET as well");
  add->add_option("ALIAS", r.alias, "Address, @domain (catch-all) or local@ (user part)")->required();
  add->add_option("TARGET", r.target, "A user's name or id, another alias, or an external address")->required();
  add->callback([&r] { r.action = [&r](Session& s) { return alias_add(s, r.alias, r.target); }; });
  CLI::App* list = alias->add_subcommand("list", "All aliases, or those of one address");
  list->add_option("ALIAS", r.alias, "Only this one");
  list->callback([&r] { r.action = [&r](Session& s) { return alias_list(s, r.alias); }; });
  CLI::App* remove = alias->add_subcommand("remove", "Remove an alias, or only one of its targets");
  remove->add_option("ALIAS", r.alias, "As 'alias list' shows it")->required();
  remove->add_option("TARGET", r.target, "A user's name or id, or as 'alias list' shows it; without: all");
  remove->callback([&r] { r.action = [&r](Session& s) { return alias_remove(s, r.alias, r.target); }; });
}

void add_mail(CLI::App& app, Request& r) {
  CLI::App* mailbox = app.add_subcommand("mailbox", "Mailboxes of a user")->require_subcommand(1);
  CLI::App* mailboxes = mailbox->add_subcommand("list", "Names, message counts and sizes");
  mailboxes->add_option("USER", r.user, "Login name or id")->required();
  mailboxes->callback([&r] { r.action = [&r](Session& s) { return mailbox_list(s, r.user); }; });
  CLI::App* message = app.add_subcommand("message", "Messages of a mailbox")->require_subcommand(1);
  CLI::App* messages = message->add_subcommand("list", "Messages in UID order");
  messages->add_option("USER", r.user, "Login name or id")->required();
  messages->add_option("MAILBOX", r.mailbox, "As 'mailbox list' shows it")->capture_default_str();
  messages->callback([&r] { r.action = [&r](Session& s) { return message_list(s, r.user, r.mailbox); }; });
  CLI::App* exported = message->add_subcommand("export", "The exact octets as delivered, Return-Path in front");
  exported->add_option("USER", r.user, "Login name or id")->required();
  exported->add_option("MAILBOX", r.mailbox, "As 'mailbox list' shows it")->required();
  exported->add_option("UID", r.uid, "As 'message list' shows it")->required();
  exported->callback([&r] { r.action = [&r](Session& s) { return message_export(s, r.user, r.mailbox, r.uid); }; });
  CLI::App* explained = app.add_subcommand("explain", "Each step of the look-up of an address, and its result");
  explained->add_option("ADDRESS", r.address, "As in RCPT")->required();
  explained->callback([&r] { r.action = [&r](Session& s) { return explain(s, r.address); }; });
}

}  // namespace

int run(int argc, const char* const* argv, std::istream& in, std::ostream& out, std::ostream& err) {
  Request request;
  CLI::App app("lmtpctl: users, aliases and messages of lmtpd's mail store\n"
               "Exit status: 0 done, 1 no (refused, not found, not reachable), 2 usage or configuration");
  app.set_version_flag("--version", "lmtpctl " LMTPD_VERSION);
  app.add_option("-c,--config", request.config, "lmtpd's configuration file")->capture_default_str();
  app.add_flag("--json", request.json, "Print JSON");
  app.footer("Examples:\n"
             "  lmtpctl schema create\n"
             "  lmtpctl user add alice@example.org --quota 1GiB --alias sales@example.org\n"
             "  lmtpctl --json message list alice@example.org\n"
             "  lmtpctl explain alice+news@example.org\n"
             "'lmtpctl user --help', 'lmtpctl user add --help' and so on say more.");
  app.require_subcommand(1);
  app.fallthrough();
  add_schema(app, request);
  add_user(app, request);
  add_alias(app, request);
  add_mail(app, request);
  config::Settings settings;
  try {
    app.parse(argc, argv);
    settings = config::load(request.config);
    Session session(storage::make_driver(settings.storage), in, out, err);
    session.json = request.json;
    session.server_user = settings.run_as_user;
    const storage::Uri uri = storage::parse_uri(settings.storage.uri);
    if (uri.scheme == "sqlite") session.store_file = uri.path;
    return request.action(session);
  } catch (const CLI::RequiredError& e) {
    // CLI11 asks for a subcommand even where there is one that it does not know.
    const std::vector<std::string> unknown = app.remaining(true);
    if (!unknown.empty()) err << "lmtpctl: unknown: '" << unknown.front() << "'\n";
    app.exit(e, out, err);
    return exit_usage;
  } catch (const CLI::ParseError& e) {
    return app.exit(e, out, err) == 0 ? exit_yes : exit_usage;
  } catch (const config::ConfigError& e) {
    err << e.what() << '\n';
    return exit_usage;
  } catch (const std::invalid_argument& e) {
    err << config::located(settings, e.what()) << '\n';
    return exit_usage;
  } catch (const Refused& e) {
    err << "lmtpctl: " << e.what() << '\n';
    return e.exit_status();
  } catch (const std::exception& e) {
    err << "lmtpctl: " << e.what() << '\n';
    return exit_no;
  }
}

}  // namespace lmtpd::ctl
