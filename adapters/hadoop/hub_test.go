package hadoop

import (
	"errors"
	"testing"
	"time"
)

// TestHubMissed: an application that has ended between two lists that would say so is not forgotten meanwhile, nor is its
// configuration; one that such a list does not have is.
func TestHubMissed(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512", "2 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "a:b")
	l.runs("0001", 0, "RUNNING")
	hub := NewHub(l)
	round := func() {
		t.Helper()
		l.now = l.now.Add(5 * time.Second)
		if err := hub.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	round()
	if err := hub.Identify(t.Context(), "application_1_0001"); err != nil {
		t.Fatal(err)
	}
	l.apps("2 RUNNING UNDEFINED 512")
	round()
	for range wholeEach - 1 {
		if all := hub.Running(); len(all) != 1 || all[0].App != "application_1_0002" {
			t.Errorf("%+v run", all)
		}
		if hub.conf("application_1_0001") == nil {
			t.Error("its configuration is forgotten")
		}
		src := hub.Source("application_1_0001")
		for range 2 {
			if s, err := src.Next(t.Context()); err != nil || s.ID != "pig_1" {
				t.Errorf("%+v, %v", s, err)
			}
		}
		round()
	}
	if hub.conf("application_1_0001") != nil {
		t.Error("the configuration of one that no list has is kept")
	}
	if _, err := hub.Source("application_1_0001").Next(t.Context()); !errors.As(err, new(*NoWorkflowError)) {
		t.Errorf("one that no list has: %v", err)
	}
}
