package screen

import (
	"slices"
	"strings"
	"testing"
)

// TestAxisIsRegular checks that the marks of the axis stand at equal distances, to a cell, at every width, with the
// time that it is among them.
func TestAxisIsRegular(t *testing.T) {
	t.Parallel()
	s := recorded(t, "failure", 70)
	for width := 50; width <= 300; width++ {
		s.Width, s.Height = width, 50
		lines := Draw(s)
		at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "▼") })
		if at < 0 {
			t.Fatalf("%d cells wide: no axis", width)
		}
		axis := []rune(lines[at])
		var marks []int
		for i, r := range axis {
			if r == '╷' {
				marks = append(marks, i)
			}
		}
		if !strings.Contains(lines[at], "01:01:46") {
			t.Errorf("%d cells wide: the time that it is is not shown: %s", width, string(axis))
		}
		least, most, now := width, 0, slices.Index(axis, '▼')
		for i := 1; i < len(marks); i++ {
			least = min(least, marks[i]-marks[i-1])
		}
		for i := 1; i < len(marks); i++ {
			gap := marks[i] - marks[i-1]
			if gap > least+1 && marks[i-1]+gap/2 <= now && now <= marks[i-1]+(gap+1)/2 {
				gap /= 2 // now stands on a mark
			}
			most = max(most, gap)
		}
		if len(marks) > 2 && most-least > 1 {
			t.Errorf("%d cells wide: marks are %d to %d cells apart: %s", width, least, most, string(axis))
		}
	}
}

// TestCriticalTasks checks that a tall screen lists the tasks that the end waits for, and a small one does not.
func TestCriticalTasks(t *testing.T) {
	t.Parallel()
	s := recorded(t, "failure", 70)
	s.Frame.Tasks = tasks
	s.Width, s.Height = 200, 50
	if all := strings.Join(Draw(s), "\n"); !strings.Contains(all, "critical task") ||
		!strings.Contains(all, "◆  scope-39 m_000002_0") {
		t.Errorf("no critical task on a tall screen:\n%s", all)
	}
	s.Width, s.Height = 80, 24
	if all := strings.Join(Draw(s), "\n"); strings.Contains(all, "critical task") {
		t.Errorf("critical tasks on a small screen:\n%s", all)
	}
}
