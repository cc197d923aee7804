package estimators_test

import (
	"testing"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
)

// plannedCosts are costs by the plan alone.
var plannedCosts = paper.Model(paper.FixedSlowdown([4]float64{1, 1, 1, 1}))

func everyScenario() []estimators.Scenario { return append(estimators.Scenarios(), paper.Others()...) }

func answer(t *testing.T, w *estimators.ReplayContext, name string) estimators.Estimate {
	t.Helper()
	e, err := pick(t, everyScenario(), name)[0].Of(w)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
