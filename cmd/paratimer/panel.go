package main

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/observed"
)

// panel is who estimates: ParaTimer's scenarios, the range, and, if asked, all others for comparison.
func panel(others bool) watch.Panel { return panelWithin(others, 0) }

// panelWithin is panel with at most so many samples of the range; 0: as many as the number of tasks asks for.
func panelWithin(others bool, samples int) watch.Panel {
	scenarios := append(estimators.Scenarios(), estimators.Corrected(estimators.Sampled()), estimators.Uneven())
	n := len(scenarios) - 2
	if others {
		scenarios = append(scenarios, estimators.Others()...)
	}
	all := estimators.Shared(scenarios, observed.Costs, estimators.Options{Samples: samples})
	return watch.Panel{Scenarios: all[:n], Sampled: all[n], Uneven: all[n+1], Others: all[n+2:], Model: observed.Costs}
}
