// Package live tests the commands that watch a cluster, with files and with the history that they leave, and what
// they send to sinks and to Prometheus during a run.
package live
