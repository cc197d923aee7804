package input

import "testing"

// TestGoesBy checks that a query is found by its name, with its engine's prefix or without it, and by the patterns of
// rules.
func TestGoesBy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"PigLatin:etl.pig", "PigLatin:etl.pig", true},
		{"etl.pig", "PigLatin:etl.pig", true},
		{"e*.pig", "PigLatin:etl.pig", true},
		{"nightly_[!a-z]*", "nightly_7", true},
		{"nightly_[!a-z]*", "nightly_a", false},
		{"select*", "select a/b from t", true},
		{"etl[", "etl[", true}, // no pattern
		{"etl[", "etl", false},
		{"", "etl", false},
	} {
		if got := GoesBy(c.pattern, c.name); got != c.want {
			t.Errorf("%q, %q: %v", c.pattern, c.name, got)
		}
	}
}
