// Package e2e has the tests against real clusters, with the tag e2e, and the benchmarks of NearestFit's paper that they
// run.
package e2e
