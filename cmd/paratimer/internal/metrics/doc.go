// Package metrics shows frames to Prometheus: a sink that keeps the newest frame of each run, a registry of its own
// that makes series of them when it is asked, and the small server that is asked. It computes nothing: what a frame
// does not say is a series that is not there, never a 0 or a -1.
//
// Names follow https://prometheus.io/docs/practices/naming. docs/metrics.md is their contract. No label holds an id.
package metrics
