// Package live tests what commands do on a cluster, with files and with the history that they leave; and what is sent
// about a run, and when, to sinks and to Prometheus.
package live
