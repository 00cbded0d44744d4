// Any line is a Command, and a dialogue that obeys any lines keeps its laws: one line of the input is one command.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lmtpd/protocol/dialogue.h"
#include "lmtpd/protocol/line_splitter.h"
#include "tests/fuzz/law.h"

using namespace lmtpd::protocol;

namespace {

void check_reply(const Reply& reply) {
  const std::string wire = reply.wire();
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = wire.find('\n', at)) != std::string::npos; ++at) ++lines;
  test::law(lines == reply.lines().size(), "a reply has as many lines as it says");
  test::law(reply.code() >= 200 && reply.code() < 600, "a reply has a reply code");
}

void obey(Dialogue& dialogue, const Command& command) {
  const std::size_t recipients = dialogue.envelope().recipients.size();
  const Step step = dialogue.on(command);
  check_reply(step.reply);
  if (step.action == Action::begin_mail) dialogue.answer_mail(true);
  if (step.action == Action::look_up) dialogue.answer_recipient(true);
  const bool receives = step.action == Action::receive_message || step.action == Action::receive_chunk;
  test::law(!receives || recipients > 0, "no message without an accepted recipient");
  test::law(step.action != Action::skip_chunk || !step.last || recipients == 0 || step.copies == recipients, "N for N");
  if (step.action == Action::receive_message || (receives && step.last)) dialogue.message_done();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  (void)parse_command(rest);
  DialogueOptions options;
  options.xforward = true;
  options.message_size = 1000;
  Dialogue dialogue(options);
  LineSplitter splitter(256);
  for (;;) {
    const LineSplitter::Taken taken = splitter.take(rest);
    test::law(taken.consumed <= rest.size(), "no more is consumed than is there");
    rest.remove_prefix(taken.consumed);
    if (taken.kind == LineSplitter::Kind::need_more) break;
    obey(dialogue, taken.kind == LineSplitter::Kind::line ? parse_command(taken.line) : line_too_long());
  }
  return 0;
}
