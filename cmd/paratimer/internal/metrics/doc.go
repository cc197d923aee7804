// Package metrics exports frames to Prometheus: a sink that keeps the newest frame of each run, a registry that
// creates series from them at each scrape, and a small server. It computes nothing: a value that is missing in a
// frame is a missing series, never a 0 or a -1.
//
// Names follow https://prometheus.io/docs/practices/naming. docs/metrics.md is their contract. No label contains an
// id.
package metrics
