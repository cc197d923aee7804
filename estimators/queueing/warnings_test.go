package queueing

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// Each answer says what is known against it.
func TestWarnings(t *testing.T) {
	one, _ := Published(4, 1)
	two, _ := Published(4, 1)
	two.Jobs[0].Copies = 2
	both, _ := Published(4, 1)
	both.Jobs = append(both.Jobs, both.Jobs[0])
	for _, c := range []struct {
		s    *Spec
		m    Model
		want string
	}{
		{one, Product, ""},
		{two, Product, "several_jobs"},
		{both, Product, "several_jobs"},
		{one, ViannaForkJoin, ""},
		{one, ViannaTable4, "calibrated"},
		{one, Tripathi, ""},
	} {
		r, err := Solve(c.s, c.m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, w := range r.Warnings {
			codes = append(codes, w.Code)
		}
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%v of %d jobs, %d copies: %q, want %q", c.m, len(c.s.Jobs), c.s.Jobs[0].Copies, got, c.want)
		}
	}
}

// The errors that the warning tells are those of docs/models.md.
func TestSeveralJobsError(t *testing.T) {
	page, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(page)) {
		if !strings.HasPrefix(l, "| several at once |") {
			continue
		}
		cells := strings.Split(l, " | ")
		if !slices.Equal([]string{cells[2], cells[4]}, []string{severalMedian, severalNinetieth}) {
			t.Errorf("the warning tells %s and %s, the page %s", severalMedian, severalNinetieth, l)
		}
		return
	}
	t.Error("the page has no row of several jobs at once")
}

// What many jobs cost is bounded by what all of them cost together.
func TestManyJobsAreBounded(t *testing.T) {
	s, _ := Published(4, 1)
	for len(s.Jobs) < MaxJobs {
		s.Jobs = append(s.Jobs, s.Jobs[0])
	}
	if _, err := Solve(s, ViannaForkJoin, Options{MaxIterations: 1}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a hundred jobs: %v", err)
	}
	s.Jobs = s.Jobs[:30]
	if _, err := Solve(s, ViannaForkJoin, Options{MaxIterations: 1}); err != nil {
		t.Errorf("thirty of them: %v", err)
	}
}
