// Package mrjob reads what a MapReduce job shows of itself: the settings in its configuration, the graph of the
// workflow that its settings describe, its tasks' counters, and ids. The watcher of a live cluster and the readers of
// history files share it, so that both make the same workflow of a run.
package mrjob
