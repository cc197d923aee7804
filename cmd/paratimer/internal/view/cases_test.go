package view

import (
	"reflect"
	"testing"
)

// TestLeftIf holds that equal scenarios are one part of the sentence, and that those without a difference are the
// last one.
func TestLeftIf(t *testing.T) {
	for want, cases := range map[string][]Case{
		"~21m as it is · ~33m if the longest task fails · no difference with skew at its best, with skew at its worst, in the scheduler's likely order": {
			{Scenario: "standard", Left: "~21m"},
			{Scenario: "one_failure", Left: "~33m"},
			{Scenario: "failure_until_proven", Left: "~33m"},
			{Scenario: "skew_low", Left: "~21m"},
			{Scenario: "skew_high", Left: "~21m"},
			{Scenario: "best_guess", Left: "~21m"},
		},
		"~21m as it is · ~33m if a failure is still to come · ~20m with skew at its best · no difference if the longest task fails, with skew at its worst": {
			{Scenario: "standard", Left: "~21m"},
			{Scenario: "one_failure", Left: "~21m"},
			{Scenario: "failure_until_proven", Left: "~33m"},
			{Scenario: "skew_low", Left: "~20m"},
			{Scenario: "skew_high", Left: "~21m"},
		},
		"~21m as it is · no difference if the longest task fails, without other applications": {
			{Scenario: "standard", Left: "~21m"},
			{Scenario: "one_failure", Left: "~21m"},
			{Scenario: "alone", Left: "~21m"},
			{Scenario: "skew_high", Left: "?"},
		},
		"": {{Scenario: "standard", Left: "?"}, {Scenario: "one_failure", Left: "~33m"}},
	} {
		if got := LeftIf(cases); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	if got := LeftIf([]Case{{Scenario: "standard", Left: "~1m"}, {Scenario: "pig", Left: "~1m"}}); got != "" {
		t.Errorf("%q of an estimator without words", got)
	}
}

// TestMergeCases holds that what is not known is equal to nothing.
func TestMergeCases(t *testing.T) {
	got := MergeCases([]Case{{Scenario: "a", Left: "1m"}, {Scenario: "b", Left: "?"}, {Scenario: "c", Left: "1m"}, {Scenario: "d", Left: "?"}})
	if want := []CaseRow{{0, []int{2}}, {1, nil}, {3, nil}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}
