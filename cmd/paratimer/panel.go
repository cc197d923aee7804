package main

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/observed"
)

// panel is who estimates: ParaTimer's scenarios and, if asked, all others for comparison.
func panel(others bool) watch.Panel {
	scenarios := estimators.Scenarios()
	n := len(scenarios)
	if others {
		scenarios = append(scenarios, estimators.Others()...)
	}
	all := estimators.Shared(scenarios, model, estimators.Options{})
	return watch.Panel{Scenarios: all[:n], Others: all[n:], Model: model}
}

// model is the cost model of a run: the paper's on the paper's cluster, else what the run's own counters show.
func model(run dag.Run) estimators.Costs {
	if run.Now().Plan.Cluster.Policy == dag.FIFO {
		return estimators.Paper(estimators.ObservedSlowdown)(run)
	}
	return observed.New(run, observed.Options{})
}
