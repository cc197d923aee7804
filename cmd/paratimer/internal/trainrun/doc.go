// Package trainrun makes the training runs of a design (Ernest, NSDI 2016, §3.3): it runs a command once for each row,
// the cheapest first, times it, and keeps the times in a CSV file that a later call goes on with.
//
// The file is at any time a whole table of runs that ended well: a line is appended and synced at once, or taken back.
// How long the rest will take is an estimate of the same kind as the model's own: rows that have been timed, fitted.
package trainrun
