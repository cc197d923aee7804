// Package engine names the engines whose plans adapters make or read.
package engine

import "github.com/paratimer/paratimer/dag"

// The engines. A plan without a name is MapReduce's.
const (
	Tez   = "Tez"
	Spark = "Spark"
)

// Whole returns what an engine calls a plan that it is given whole; the zero value for an engine whose plans are of
// jobs, or that is not known. Tapes and plan files hold the engine's name alone.
func Whole(name string) dag.Whole {
	switch name {
	case Tez:
		return dag.Whole{Name: "DAG", Part: "vertex", Parts: "vertices"}
	case Spark:
		return dag.Whole{Name: "application", Part: "stage", Parts: "stages"}
	}
	return dag.Whole{}
}
