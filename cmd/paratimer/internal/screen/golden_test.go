package screen

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestDrawings checks how the screen looks: sizes and moments of a real run of a Pig script (a map fails at 16 s of
// 126), of one that failed, and of what no recording has.
func TestDrawings(t *testing.T) {
	moments := map[string]State{
		"early":   recorded(t, "failure", 4),
		"failed1": recorded(t, "failure", 17), // an attempt has just failed
		"risk":    recorded(t, "failure", 70),
		"late":    recorded(t, "failure", 108), // and only a floor is known
		"done":    recorded(t, "failure", 127),
		"failing": recorded(t, "failing", 94),
		"wide":    recorded(t, "wide", 35),
		"crowd":   crowd(),
		"hostile": hostile(t),
	}
	stale := recorded(t, "failure", 70)
	f := stale.Frame.Aged(40*time.Second, errors.New("connect to rm.example:8088: connection refused"))
	stale.Frame = &f
	moments["stale"] = stale
	for _, c := range []struct {
		state         string
		width, height int
		style         Style
	}{
		{"early", 80, 24, Style{}},
		{"failed1", 80, 24, Style{}},
		{"late", 80, 24, Style{}},
		{"done", 80, 24, Style{}},
		{"failing", 80, 24, Style{}},
		{"stale", 80, 24, Style{}},
		{"hostile", 80, 24, Style{}},
		{"hostile", 80, 24, Style{ASCII: true}},
		{"crowd", 40, 12, Style{}},
		{"crowd", 120, 40, Style{}},
		{"wide", 120, 40, Style{}},
		{"wide", 120, 40, Style{ASCII: true}},
		{"risk", 40, 12, Style{}},
		{"risk", 80, 24, Style{}},
		{"risk", 80, 24, Style{Colour: true}},
		{"risk", 80, 24, Style{Colour: true, Light: true}},
		{"risk", 120, 40, Style{}},
		{"risk", 300, 60, Style{}},
	} {
		s := moments[c.state]
		s.Width, s.Height, s.Style = c.width, c.height, c.style
		name := fmt.Sprintf("%s-%dx%d", c.state, c.width, c.height)
		for _, v := range []struct {
			on   bool
			name string
		}{{c.style.ASCII, "-ascii"}, {c.style.Colour && !c.style.Light, "-dark"}, {
			c.style.Colour && c.style.Light,
			"-light",
		}} {
			if v.on {
				name += v.name
			}
		}
		t.Run(name, func(t *testing.T) { golden(t, name, Draw(s)) })
	}
}

// TestChosen checks what the reader may choose to see.
func TestChosen(t *testing.T) {
	length := frame.Seconds(126.4)
	for name, change := range map[string]func(*State){
		"help":       func(s *State) { s.Choice.Help = true },
		"help-small": func(s *State) { s.Choice.Help, s.Choice.HelpScroll, s.Width, s.Height = true, 8, 40, 12 },
		"job":        func(s *State) { s.Choice.Selected = "scope-39" },
		"tasks": func(s *State) {
			s.Choice.Selected, s.Choice.Tasks, s.Choice.Scroll = "scope-39", true, 2
			s.Frame.Tasks = tasks
		},
		"no-tasks": func(s *State) { s.Choice.Selected, s.Choice.Tasks = "scope-39", true },
		"paused":   func(s *State) { s.Choice.Paused = true; s.Log = "written to run.tape" },
		"replay":   func(s *State) { s.Play = &Playback{Speed: 4, At: 71, Length: length} },
	} {
		t.Run(name, func(t *testing.T) {
			s := recorded(t, "failure", 70)
			change(&s)
			golden(t, "chosen-"+name, Draw(s))
		})
	}
}

// tasks are twelve of one job.
func tasks(_, most int) ([]frame.Task, int) {
	list := make([]frame.Task, 12)
	for i := range list {
		list[i] = frame.Task{
			Name: fmt.Sprintf("attempt_1795222440184_0012_m_%06d_0", i), Phase: dag.Map, Index: i, Attempts: 1,
			State: "running",
			Node:  frame.Text("localhost:8042"), StartSeconds: secondsOf(60),
			EndSeconds: secondsOf(frame.Seconds(100 - 4*i)), Ratio: frame.RatioOf(0.25), Critical: i == 2,
		}
		if i == 3 {
			list[i].Attempts = 2
		}
		if 100-4*i < 71 {
			list[i].State = "succeeded"
		}
	}
	list[4] = frame.Task{Name: "task_1795222440184_0012_r_000000", Phase: dag.Reduce, State: "waiting"}
	return list[:min(most, len(list))], len(list)
}

// hostile is the risky state with names that have control characters.
func hostile(t testing.TB) State {
	s := recorded(t, "failure", 70)
	names := []string{"\x1b[31mred\x1b]0;title\a", "日本語のジョブ名前がとても長い", "e\u0301\u0301\u0301 ❤\ufe0f 👩\u200d👧 \u202eevil"}
	s.Frame.Workflow.Name = frame.Text("</script>\r\n\x9b2J " + names[1])
	for i := range s.Frame.Jobs {
		was := s.Frame.Jobs[i].Node
		s.Frame.Jobs[i].Node = names[i]
		for k := range s.Frame.Failures {
			if s.Frame.Failures[k].Job == was {
				s.Frame.Failures[k].Job, s.Frame.Failures[k].Task = names[i], "map 6 of "+names[i]
			}
		}
		for k := range s.Frame.CriticalPath {
			for n, j := range s.Frame.CriticalPath[k].Jobs {
				if j == was {
					s.Frame.CriticalPath[k].Jobs[n] = names[i]
				}
			}
		}
	}
	s.Frame.WaitingOn = frame.Text("job " + names[2] + "\n\n\n\x00")
	return s
}
