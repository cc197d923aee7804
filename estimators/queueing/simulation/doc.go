// Package simulation simulates a queueing.Spec event by event, as a reference for the analytical models. Tasks share
// each centre's service equally (processor sharing). Maps go to any free slot, and a reduce copies each map's output
// after the map has ended. Simulation is much slower than a model. Its results are means over runs with their
// standard errors.
package simulation
