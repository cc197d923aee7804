package reference

import "testing"

func TestReference(t *testing.T) {
	for name, by := range map[string]func() ([]Case, error){
		"exact": Exact, "approximate": Approximate,
		"maxima": Maxima,
	} {
		cases, err := by()
		if err != nil {
			t.Fatal(err)
		}
		if len(cases) < 6 {
			t.Fatalf("%s: %d cases: nothing is compared", name, len(cases))
		}
		figures := 0
		for _, c := range cases {
			figures += len(c.Figures)
			if w := c.Worst(); !(w < 1e-9) {
				t.Errorf("%s: %s: %v off", name, c.Name, w)
			}
		}
		t.Logf("%s: %d figures compared", name, figures)
	}
}
