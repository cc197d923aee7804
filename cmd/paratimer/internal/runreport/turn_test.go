package runreport

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestTurn holds what is said of the largest move.
func TestTurn(t *testing.T) {
	t.Parallel()
	move := func(at, by float64, reason, subject string) Move {
		return Move{frame.Seconds(at), frame.Move{
			DeltaSeconds: frame.Seconds(by), Reason: reason,
			Subject: frame.Text(subject), SinceSeconds: frame.Seconds(at),
		}}
	}
	lost := []Mark{{18, MarkNode, "node n was lost"}, {19, MarkAlert, "late"}}
	for _, c := range []struct {
		moves []Move
		marks []Mark
		want  string
	}{
		{nil, nil, ""},
		{[]Move{move(20, 4, "speed", "a")}, nil, ""}, // by less than is worth saying
		{[]Move{move(20, 30, "other", "")}, nil, "The predicted end moved most after 20s, by +30s: for other reasons."},
		{
			[]Move{move(20, 30, "other", "")},
			lost,
			"The predicted end moved most after 20s, by +30s, 2s after this: node n was lost.",
		},
		{
			[]Move{move(20, -30, "other", "")},
			lost,
			"The predicted end moved most after 20s, by -30s: for other reasons.",
		},
		{
			[]Move{move(20, 30, "speed", "a"), move(30, -40, "failure", "b"), move(200, 90, "size", "c")},
			lost,
			"The predicted end moved most after 30s, by -40s: b.",
		},
	} {
		total := frame.Seconds(100)
		got := ""
		if m := turnOf(c.moves, &total); m != nil {
			got = m.summary(c.marks)
		}
		if got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
