package observed

import "github.com/paratimer/paratimer/dag"

// Residuals are those of the profile that the model rests on: how wrong the ranges of its runs were, oldest first.
func (m *Model) Residuals() []dag.Residual { return m.residuals }
