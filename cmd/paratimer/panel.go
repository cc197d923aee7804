package main

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
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
	all := estimators.Shared(scenarios, observed.Costs, estimators.Options{})
	return watch.Panel{Scenarios: all[:n], Others: all[n:], Model: observed.Costs}
}
