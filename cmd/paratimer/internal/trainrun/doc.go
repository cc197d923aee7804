// Package trainrun makes the training runs of a design (Ernest, NSDI 2016, §3.3): it runs a command once for each
// row, the cheapest first, measures its time, and stores the times in a CSV file that a later call continues.
//
// The file is a complete table of successful runs at any time: a line is appended and synced at once, or removed
// again. The time of the remaining runs is estimated as the model does it: by a fit to the rows that were measured.
package trainrun
