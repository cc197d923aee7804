// Package simulation simulates a queueing.Spec event by event, as a truth to hold the analytical models against: tasks
// share each centre's service equally (processor sharing), maps are dealt to whichever slot comes free, and a reduce
// copies each map's output once that map has ended. It is slow beside a model, and what it gives are means over runs
// with their standard errors.
package simulation
