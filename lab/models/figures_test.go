package models

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// On the settings of Fig. 7 to 9 the fork/join estimate is above the simulation, as in the paper, and within 15 %; the
// evaluated tree is above it too, and nearer than the paper's own says; the default model is within 13 % of it.
func TestFigures(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("SKIPPED: some seconds of simulation")
	}
	tripathi := map[string]float64{"Fig. 7 (a)": .29, "Fig. 7 (b)": .20, "Fig. 7 (c)": .68, "Fig. 7 (d)": .49}
	for _, f := range append(fig7(), fig9()...) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			solved, err := f.solveAll(400)
			if err != nil {
				t.Fatal(err)
			}
			limit, ok := tripathi[f.name[:strings.Index(f.name, ":")]]
			if !ok {
				limit = 1.80
			}
			for i := range solved {
				s := &solved[i]
				truth := s.simulated.Jobs[0].Response
				noise := 2.5 * truth.StandardError / truth.Value
				for m, within := range [...][2]float64{{0, .15}, {0, limit}, {-.13, .13}} {
					if off := s.off(m); off < within[0]-noise || off > within[1]+noise {
						t.Errorf("%v at %s %d: %.1f s, simulated %.1f ± %.1f: %+.1f %%", drawnModels[m], f.varied,
							f.values[i],
							s.models[m].Response(), truth.Value, truth.StandardError, 100*off)
					}
					if r := s.models[m]; !r.Converged || m < 2 && warned(r, "few_waves") {
						t.Errorf("%v at %s %d: %+v %v", drawnModels[m], f.varied, f.values[i], r.Fixpoint, r.Warnings)
					}
				}
			}
		})
	}
}

func warned(r *queueing.Result, code string) bool {
	for _, w := range r.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}
