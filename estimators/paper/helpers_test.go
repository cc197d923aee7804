package paper

import "github.com/paratimer/paratimer/estimators"

// plannedCosts are costs by the plan alone.
var plannedCosts = Model(FixedSlowdown([4]float64{1, 1, 1, 1}))

func everyScenario() []estimators.Scenario { return append(estimators.Scenarios(), Others()...) }
