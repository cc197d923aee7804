package view

import (
	"reflect"
	"testing"
)

// TestLeftIf holds that equal scenarios are one part of the sentence, and that those without a difference are named
// once, by what they are about.
func TestLeftIf(t *testing.T) {
	for want, cases := range map[string][]Case{
		"~21m as it is · ~33m if the longest task fails · skew: no difference": {
			{"standard", "~21m"},
			{"one_failure", "~33m"},
			{"failure_until_proven", "~33m"},
			{"skew_low", "~21m"},
			{"skew_high", "~21m"},
			{"best_guess", "~21m"},
		},
		"~21m as it is · ~33m if a failure is still to come · ~20m with skew at its best": {
			{"standard", "~21m"},
			{"one_failure", "~21m"},
			{"failure_until_proven", "~33m"},
			{"skew_low", "~20m"},
			{"skew_high", "~21m"},
		},
		"~21m as it is · a failure, other applications: no difference": {
			{"standard", "~21m"},
			{"one_failure", "~21m"},
			{"alone", "~21m"},
			{"skew_high", "?"},
		},
		"": {{"standard", "?"}, {"one_failure", "~33m"}},
	} {
		if got := LeftIf(cases); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	if got := LeftIf([]Case{{"standard", "~1m"}, {"pig", "~1m"}}); got != "" {
		t.Errorf("%q of an estimator without words", got)
	}
}

// TestMergeCases holds that what is not known is equal to nothing.
func TestMergeCases(t *testing.T) {
	got := MergeCases([]Case{{"a", "1m"}, {"b", "?"}, {"c", "1m"}, {"d", "?"}})
	if want := []CaseRow{{0, []int{2}}, {1, nil}, {3, nil}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}
