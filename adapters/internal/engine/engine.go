// Package engine has the names of engines for adapters that make or read their plans.
package engine

import "github.com/paratimer/paratimer/dag"

// The engines. A plan without an engine is of MapReduce.
const (
	Tez   = "Tez"
	Spark = "Spark"
)

// Whole returns the engine's names for a plan that it receives as a whole. It returns the zero value for unknown
// engines, and for engines with plans of jobs. Old tapes and plan files contain only the engine's name.
func Whole(name string) dag.Whole {
	switch name {
	case Tez:
		return dag.Whole{Name: "DAG", Part: "vertex", Parts: "vertices"}
	case Spark:
		return dag.Whole{Name: "application", Part: "stage", Parts: "stages"}
	}
	return dag.Whole{}
}
