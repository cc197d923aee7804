// Package chaos is a bad day of a cluster, for tests: a transport that corrupts answers on their way, by a seed.
//
// It never answers one address with what another said. Whatever else networks, proxies, caches and dying servers do to
// an answer, it does: see Fault. docs/limits.md says what ParaTimer promises under it.
package chaos
