#include "lmtpd/delivery/resolution_cache.h"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"

namespace lmtpd::delivery {
namespace {

using std::chrono::milliseconds;
using storage::Address;
using storage::Reason;
using storage::Resolution;
using testing_support::ManualClock;

Resolution answer(Reason reason) {
  Resolution resolution;
  resolution.status = storage::Status(reason);
  if (reason == Reason::ok) resolution.targets = {storage::Target(7, "INBOX", 3)};
  return resolution;
}

class ResolutionCacheTest : public testing::Test {
 protected:
  ResolutionCacheTest() {
    options_.lookup_cache_ttl = std::chrono::seconds(5);
    options_.lookup_cache_negative_ttl = std::chrono::seconds(1);
    options_.lookup_cache_entries = 3;
  }
  ManualClock clock_;
  Options options_;
  const Address alice_{"alice", "example.org"};
};

TEST_F(ResolutionCacheTest, KeepsAYesForItsTime) {
  ResolutionCache cache(options_);
  cache.put(alice_, answer(Reason::ok), clock_.now());
  clock_.advance(milliseconds(4999));
  ASSERT_NE(cache.find(alice_, clock_.now()), nullptr);
  EXPECT_EQ(cache.find(alice_, clock_.now())->targets.at(0).user, 7);
  clock_.advance(milliseconds(1));
  EXPECT_EQ(cache.find(alice_, clock_.now()), nullptr);
}

TEST_F(ResolutionCacheTest, KeepsANoForAShorterTime) {
  ResolutionCache cache(options_);
  cache.put(alice_, answer(Reason::no_such_mailbox), clock_.now());
  EXPECT_NE(cache.find(alice_, clock_.now()), nullptr);
  clock_.advance(milliseconds(1000));
  EXPECT_EQ(cache.find(alice_, clock_.now()), nullptr);
}

TEST_F(ResolutionCacheTest, NeverKeepsAFailure) {
  ResolutionCache cache(options_);
  for (int i = 0; i < storage::reason_count; ++i) {
    const auto reason = static_cast<Reason>(i);
    cache.clear();
    cache.put(alice_, answer(reason), clock_.now());
    EXPECT_EQ(cache.find(alice_, clock_.now()) == nullptr, is_failure(reason)) << to_string(reason);
  }
  EXPECT_TRUE(is_failure(Reason::unavailable));
  EXPECT_TRUE(is_failure(Reason::internal));
  EXPECT_FALSE(is_failure(Reason::over_quota));
  EXPECT_FALSE(is_failure(Reason::no_such_mailbox));
}

TEST_F(ResolutionCacheTest, DistinguishesLocalPartAndDomain) {
  ResolutionCache cache(options_);
  cache.put(Address("a", "bc"), answer(Reason::ok), clock_.now());
  EXPECT_EQ(cache.find(Address("ab", "c"), clock_.now()), nullptr);
  EXPECT_EQ(cache.find(Address("abc", ""), clock_.now()), nullptr);
  EXPECT_EQ(cache.find(Address("A", "bc"), clock_.now()), nullptr);
}

TEST_F(ResolutionCacheTest, TheOldestGoesFirst) {
  ResolutionCache cache(options_);
  for (const char* name : {"a", "b", "c", "d"}) {
    cache.put(Address(name, "example.org"), answer(Reason::ok), clock_.now());
    clock_.advance(milliseconds(1));
  }
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_EQ(cache.find(Address("a", "example.org"), clock_.now()), nullptr);
  EXPECT_NE(cache.find(Address("d", "example.org"), clock_.now()), nullptr);
}

TEST_F(ResolutionCacheTest, StaysBoundedHoweverOftenOneAddressIsStored) {
  ResolutionCache cache(options_);
  for (int i = 0; i < 1000; ++i) {
    cache.put(alice_, answer(Reason::ok), clock_.now());
    cache.put(Address(std::to_string(i), "example.org"), answer(Reason::no_such_mailbox), clock_.now());
    clock_.advance(milliseconds(1));
    ASSERT_LE(cache.size(), 3u);
    ASSERT_NE(cache.find(alice_, clock_.now()), nullptr);
  }
}

TEST_F(ResolutionCacheTest, ZeroTurnsItOff) {
  options_.lookup_cache_ttl = std::chrono::seconds(0);
  ResolutionCache cache(options_);
  cache.put(alice_, answer(Reason::ok), clock_.now());
  EXPECT_EQ(cache.size(), 0u);
}

}  // namespace
}  // namespace lmtpd::delivery
