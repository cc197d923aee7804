package view

import (
	"reflect"
	"testing"
)

// TestMergeCases checks that an unknown value is equal to none.
func TestMergeCases(t *testing.T) {
	got := MergeCases([]Case{{Scenario: "a", Left: "1m"}, {Scenario: "b", Left: "?"}, {Scenario: "c", Left: "1m"}, {Scenario: "d", Left: "?"}})
	if want := [][]int{{0, 2}, {1}, {3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}
