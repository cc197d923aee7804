package queueing

import "testing"

// The paper's fork/join column of Table 4, which the calibrated reading is to meet within 7%.
func TestTable4(t *testing.T) {
	for i, printed := range []float64{732.56, 659.13, 365.51, 356.20} {
		s, _ := Published(configurations[i][0], configurations[i][1])
		r, err := Solve(s, ViannaTable4, Options{})
		if err != nil {
			t.Fatal(err)
		}
		off := r.Response()/printed - 1
		t.Logf("%v: %.1f s, printed %.2f s, %+.1f%% off", configurations[i], r.Response(), printed, 100*off)
		if !(off > -.07 && off < .07) {
			t.Errorf("%v: %+.1f%% off", configurations[i], 100*off)
		}
	}
}

// The prototype's evaluation of its precedence trees, of which the shape was not told: 0.7% is how near this one
// comes.
func TestPrototypeTripathi(t *testing.T) {
	for name, want := range prototypes(t) {
		d, _ := want.solve(t, name)
		j := d.jobs[0]
		tree := d.tree(j, &j.line)
		tree.evaluate()
		off := float64(tree.Mean)/want.Tripathi - 1
		t.Logf("%s: %.3f, prototype %.3f, %+.2f%% off", name, tree.Mean, want.Tripathi, 100*off)
		if !(off > -.007 && off < .007) {
			t.Errorf("%s: %+.2f%% off", name, 100*off)
		}
	}
}
