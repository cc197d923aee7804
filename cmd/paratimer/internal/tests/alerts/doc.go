// Package alerts holds what is sent about a run, and when: to sinks, and to Prometheus, whoever dies meanwhile.
package alerts
