package runreport

import (
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// TestHero checks the answer of a page for a run that missed its deadline, a running one, one without an estimate, and
// a failed one. The cause of a failure is above the answer.
func TestHero(t *testing.T) {
	t.Parallel()
	hero := func(s *Report) string {
		h := heroOf(s, time.UTC)
		return h.Answer + " | " + h.Note + " | " + h.Class
	}
	s := sample()
	s.Glance = Glance{
		Diagnosis: "Task 1 was skewed.",
		Against: &Against{
			Bound:      of("deadline"),
			DeadlineAt: frame.TimeOf(s.EndAt.Instant.Add(-10 * time.Second)), LaterSeconds: of(frame.Seconds(10)),
		},
	}
	if got := hero(s); got != "Took 1m40s | 10s late for the deadline 02:00:56 UTC | bad" {
		t.Error(got)
	}
	open := halfway()
	open.Glance.Against = &Against{
		ExpectedSeconds: of(frame.Seconds(80)), LowSeconds: of(frame.Seconds(70)), HighSeconds: of(frame.Seconds(95)),
	}
	if got := hero(open); got != "Ends 02:01:05 UTC, in ~25s (20s – 45s, rough) | First predicted ~1m20s (1m10s – 1m35s) | " {
		t.Error(got)
	}
	if page := written(t, open); !strings.Contains(page, "Left: ~25s as it is · ~50s if the longest task fails.") {
		t.Errorf("no scenarios on the page:\n%s", page)
	}
	open.Glance.Against, open.Headline = nil, frame.Headline{LowSeconds: of(frame.Seconds(40))}
	if got := hero(open); got != "At least 40s left |  | " {
		t.Error(got)
	}
	open.Headline.LowSeconds = of(frame.Seconds(0.2))
	if got := hero(open); got != "Too early to say when it ends |  | " {
		t.Error(got)
	}
	s.Workflow.State, s.Glance.Against = dag.Failed, nil
	s.Glance.Failure = &Failure{Title: "Job join failed", Reason: "<b>Boom"}
	page := written(t, s)
	if box := strings.Index(page, "&lt;b&gt;Boom"); box < 0 || box > strings.Index(page, `class="hero`) ||
		!strings.Contains(page, "Failed after 1m40s") || strings.Contains(page, "Task 1 was skewed.") {
		t.Errorf("the cause stands at %d of the page", box)
	}
}

// TestLeftIf checks that equal scenarios are one part of the sentence, and that those without a difference are the
// last one.
func TestLeftIf(t *testing.T) {
	for want, cases := range map[string][]view.Case{
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
		if got := leftIf(cases); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	if got := leftIf([]view.Case{{Scenario: "standard", Left: "~1m"}, {Scenario: "pig", Left: "~1m"}}); got != "" {
		t.Errorf("%q of an estimator without words", got)
	}
}
