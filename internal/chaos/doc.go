// Package chaos simulates a cluster's failures for tests: a transport that corrupts responses on their way, by a
// seed.
//
// A response always belongs to the requested address. Otherwise the transport does everything that networks, proxies,
// caches and failing servers do to a response: see Fault. docs/limits.md lists what ParaTimer guarantees under these
// faults.
package chaos
