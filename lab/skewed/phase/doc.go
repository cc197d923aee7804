// Package phase makes reduce phases whose truth is known: key groups with sizes and costs (Work), how long they hold
// their slots (Play), and what could be seen of them meanwhile, as profiles (Points), as counters (Counts) and as
// Hadoop's progress. Times are seconds, sizes bytes. The same seed gives the same bytes.
//
// The workload is that of E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators",
// SoCC 2015, section 8.2, as far as it is given there.
package phase
