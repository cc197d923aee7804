package main

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/observed"
)

// panel is who estimates: ParaTimer's scenarios, the range, and, if asked, all others for comparison.
func panel(others bool) watch.Panel {
	scenarios := append(estimators.Scenarios(), estimators.Corrected(estimators.Sampled()))
	n := len(scenarios) - 1
	if others {
		scenarios = append(scenarios, estimators.Others()...)
	}
	all := estimators.Shared(scenarios, observed.Costs, estimators.Options{})
	return watch.Panel{Scenarios: all[:n], Sampled: all[n], Others: all[n+1:], Model: observed.Costs}
}
