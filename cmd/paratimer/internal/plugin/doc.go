// Package plugin prints the state of a query in the format of monitoring plugins: one of four states, one line with
// performance data, further lines for people (Monitoring Plugins Development Guidelines, sections 2.1 to 2.6). It
// reads one frame, and computes only which of the given limits that frame breaks.
package plugin
