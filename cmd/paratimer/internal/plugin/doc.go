// Package plugin says how a query stands in the language of monitoring plugins: one of four states, one line with
// performance data, further lines for people (Monitoring Plugins Development Guidelines, sections 2.1 to 2.6).
// It looks at one frame and computes nothing but which of the asked limits that frame breaks.
package plugin
