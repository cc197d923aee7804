package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// application is a Spark application with stages of four tasks. The first ones are done, and the next one runs.
func application(stages, over int) State {
	f := &frame.Frame{
		Workflow: frame.Workflow{
			Name: frame.Text("nightly"), State: dag.Running, Engine: "Spark",
			Whole: dag.Whole{Name: "application", Part: "stage", Parts: "stages"},
		},
		ElapsedSeconds: secondsOf(frame.Seconds(10*over + 5)), At: &frame.Time{Instant: 1_795_222_440_000},
		Headline: frame.Headline{RemainingSeconds: secondsOf(frame.Seconds(10*(stages-over) - 5))},
	}
	j := frame.Job{
		Node: "application", State: dag.Running, SubmittedSeconds: secondsOf(0),
		EndSeconds: secondsOf(frame.Seconds(10 * stages)),
	}
	for k := range stages {
		four := 4
		s := frame.Stage{Name: fmt.Sprintf("collect at /home/user/Nightly.scala:39 [RDD %d]", k)}
		switch s.Total = &four; {
		case k < over:
			s.Done = 4
		case k == over:
			s.Done, s.Running = 1, 2
		}
		j.Stages = append(j.Stages, s)
		j.Stretches = append(j.Stretches, frame.Stretch{
			Phase:        frame.Phase{Stage: dag.StageIndex(k), Name: s.Name},
			StartSeconds: secondsOf(frame.Seconds(10 * k)), EndSeconds: secondsOf(frame.Seconds(10*k + 10)),
		})
	}
	f.Jobs = []frame.Job{j}
	return State{Frame: f, Past: slices.Values([]*frame.Frame{f}), Width: 80, Height: 24}
}

// TestStageRows checks that each stage of a Spark application has a row with its own name, that those around the one
// that runs are shown if there is no room for all, and that nothing is called a map or a reduce.
func TestStageRows(t *testing.T) {
	t.Parallel()
	drawn := strings.Join(Draw(application(5, 2)), "\n")
	for _, want := range []string{"tasks", "stages", "[RDD 0]", "[RDD 1]", "[RDD 2]", "[RDD 3]", "[RDD 4]", "4/4", "1/4"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("there is no %q in\n%s", want, drawn)
		}
	}
	if strings.Contains(drawn, "maps") || strings.Contains(drawn, "reduces") {
		t.Errorf("maps or reduces in\n%s", drawn)
	}
	drawn = strings.Join(Draw(application(100, 50)), "\n")
	if !strings.Contains(drawn, "RDD 49]") || !strings.Contains(drawn, "RDD 50]") || strings.Contains(drawn, "RDD 9]") {
		t.Errorf("stages other than those that run in\n%s", drawn)
	}
	for _, stages := range []int{1, 3, 40} {
		for width := range 130 {
			s := application(stages, stages/2)
			s.Width, s.Height = width, width%40
			checkDrawing(t, s)
		}
	}
}

// The line of a selected job has the progress of its running stages.
func TestSelectedJobHasProgress(t *testing.T) {
	s := crowd()
	half, done := frame.Ratio(0.52), frame.Ratio(1)
	at := slices.IndexFunc(s.Frame.Jobs, func(j frame.Job) bool { return j.State == dag.Running })
	s.Frame.Jobs[at].Stretches = []frame.Stretch{
		{Phase: frame.Phase{Name: "map"}, ProgressRatio: &done},
		{Phase: frame.Phase{Stage: 1, Name: "reduce"}, ProgressRatio: &half},
	}
	s.Width, s.Choice = 120, Choice{Selected: s.Frame.Jobs[at].Node}
	text := ansi.Strip(strings.Join(Draw(s), "\n"))
	if !strings.Contains(text, "running with 3 tasks, reduce 52%, ends ~") {
		t.Errorf("no progress of reduces:\n%s", text)
	}
}
