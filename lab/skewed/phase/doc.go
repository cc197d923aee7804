// Package phase generates reduce phases with known true times: key groups with sizes and costs (Work), their
// execution on slots (Play), and what a watcher would see of them, as profiles (Points) and as
// Hadoop's progress. Times are seconds, sizes bytes. The same seed gives the same result.
//
// The workload is that of E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators",
// SoCC 2015, section 8.2, as far as it is described there.
package phase
