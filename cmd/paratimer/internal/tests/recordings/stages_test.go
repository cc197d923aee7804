package recordings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

const stagesPlan = "../../examples/stages.yaml"

// TestStagesEstimated checks the critical path of nine stages that are no MapReduce, worked out by hand. There are 40
// cores.
//
//	 0 s  40 of 60 tasks of scan orders, 20 s each
//	20 s  the other 20; 8 of scan customers, 5 s; 12 of the 40 tasks of parse orders whose orders are there, 5 s
//	25 s  20 more of parse orders
//	30 s  the last 8 of these 40; 4 of lookup, 2 s; 8 cores are idle from here on
//	40 s  the last 20 tasks of parse orders, whose orders are there now
//	45 s  by region: 19 tasks of 10 s, one of 30 s; by product: 20 of 15 s
//	75 s  join, which waited for both and for lookup: 40 tasks, 8 s
//	83 s  total: 10 tasks, 2 s
//	85 s  write: one task, 1 s
func TestStagesEstimated(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := session.Run(t, "estimate", stagesPlan, "--output", "json")
	if code != program.ExitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	type fragment struct {
		Stage string `json:"type"`
		Width int
	}
	var plan struct {
		Fragments []fragment
		Path      []struct {
			Fragment int
			Start    int `json:"start_ms"`
			End      int `json:"end_ms"`
		} `json:"critical_path"`
	}
	if err := json.Unmarshal([]byte(stdout), &plan); err != nil {
		t.Fatal(err)
	}
	type part struct {
		stage      string
		width      int
		start, end int // seconds
	}
	var got []part
	for _, p := range plan.Path {
		f := plan.Fragments[p.Fragment]
		got = append(got, part{f.Stage, f.Width, p.Start / 1000, p.End / 1000})
	}
	want := []part{
		{"scan orders", 40, 0, 40},
		{"parse orders", 20, 40, 45},
		{"by region", 1, 45, 75},
		{"join", 40, 75, 83},
		{"total", 10, 83, 85},
		{"write", 1, 85, 86},
	}
	if !slices.Equal(got, want) {
		t.Errorf("critical path %v\nwant %v", got, want)
	}
}

// TestStagesSimulated checks that a run without noise goes as estimated, at every tick, and that frames have the
// stages' own names.
func TestStagesSimulated(t *testing.T) {
	t.Parallel()
	tape := filepath.Join(t.TempDir(), "stages.tape.gz")
	code, stdout, stderr := session.Run(t, "simulate", stagesPlan, "--every", "3s", "--seed", "7", "--record", tape,
		"--output", "ndjson", "--speed", "0")
	if code != program.ExitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	const total = 86.0
	ticks := 0
	var last frameOfStages
	for line := range strings.Lines(stdout) {
		var f frameOfStages
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if f.Workflow.State == "running" {
			ticks++
			if e := f.Estimates[0]; e.Remaining == nil || f.Elapsed+*e.Remaining != total {
				t.Errorf("after %v s %v s are left, want %v", f.Elapsed, e.Remaining, total-f.Elapsed)
			}
		}
		last = f
	}
	if ticks < 28 {
		t.Errorf("%d ticks", ticks)
	}
	if n := len(last.Jobs[0].Stages); n != 9 {
		t.Fatalf("%d stages", n)
	}
	if join := last.Jobs[0].Stages[6]; join.Name != "join" || join.Done != 40 ||
		!slices.Equal(join.After, []string{"by region", "by product", "lookup"}) {
		t.Errorf("the join is %+v", join)
	}

	code, replayed, stderr := session.Run(t, "replay", tape, "--output", "ndjson")
	if code != program.ExitOK || replayed != stdout {
		t.Errorf("the tape plays another run: exit code %d, %s", code, stderr)
	}
	page := filepath.Join(t.TempDir(), "report.html")
	if code, _, stderr := session.Run(t, "report", tape, "-o", page); code != program.ExitOK {
		t.Fatalf("report: exit code %d: %s", code, stderr)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(html), "scan customers") {
		t.Error("the report does not name the stages")
	}
}

// stagesTape simulates the plan, changed by pairs of old and new text, without noise.
func stagesTape(t *testing.T, flags []string, changes ...string) (plan, tape string) {
	t.Helper()
	text, err := os.ReadFile(stagesPlan)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plan, tape = filepath.Join(dir, "plan.yaml"), filepath.Join(dir, "run.tape.gz")
	if err := os.WriteFile(plan, []byte(strings.NewReplacer(changes...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"simulate", plan, "--every", "3s", "--record", tape, "--output", "ndjson", "--speed", "0"},
		flags...)
	if code, _, stderr := session.Run(t, args...); code != program.ExitOK {
		t.Fatalf("simulate: exit code %d: %s", code, stderr)
	}
	return plan, tape
}

// TestStagesAskedAbout checks that a finished run of nine stages takes with twice the cores, with twice the work, and
// after a failure what simulated runs of the changed plan take.
func TestStagesAskedAbout(t *testing.T) {
	t.Parallel()
	_, tape := stagesTape(t, nil)
	code, stdout, stderr := session.Run(
		t, "whatif", tape, "--output", "json", "--slots", "2x", "--scale", "2", "--fail", "revenue:by region:19",
		"--fail", "node",
	)
	if code != program.ExitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	type row struct {
		Name  string
		Total float64 `json:"total_seconds"`
	}
	var answer struct {
		Miss    *float64 `json:"miss_ratio"`
		Slots   struct{ Total, Cores int }
		Base    row
		Changes []row
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Miss == nil || *answer.Miss != 0 || answer.Slots.Cores != 40 || answer.Slots.Total != 40 ||
		answer.Base.Total != 86 {
		t.Errorf("the run itself: %s", stdout[:400])
	}
	_, twice := stagesTape(t, nil, "cores: 20", "cores: 40")
	_, longer := stagesTape(t, nil, "0.1ms", "0.2ms", "0.025ms", "0.05ms", "0.15ms", "0.3ms", "0.2ms", "0.4ms", "0.3ms",
		"0.6ms", "cost: 1ms", "cost: 2ms")
	want := map[string]float64{
		"slots 2x": totalOf(t, twice), "scale 2": totalOf(t, longer),
		"fail revenue:by region:19": 116, // its 30 s once more, which nothing covers
		// Just before 85 s, when total ends, half of all is lost with an executor and done again on 20 cores: 30 tasks
		// of scan orders take 40 s, the last of parse orders 5 s, by region 30 s, 20 of join 8 s, total 2 s, write 1 s.
		"fail node": 84.999 + 86,
	}
	for _, r := range answer.Changes {
		if r.Total != want[r.Name] {
			t.Errorf("%s: %v s, want %v", r.Name, r.Total, want[r.Name])
		}
	}
	if code, stdout, _ = session.Run(t, "whatif", tape, "--at", "50s", "--slots", "map=4"); code != program.ExitUsage {
		t.Errorf("map slots of a query without maps: exit code %d: %s", code, stdout)
	}
}

// totalOf is how many seconds a recorded run took.
func totalOf(t *testing.T, tape string) float64 {
	t.Helper()
	_, stdout, _ := session.Run(t, "report", tape, "--output", "json")
	var run struct {
		Total float64 `json:"elapsed_seconds"`
	}
	if err := json.Unmarshal([]byte(stdout), &run); err != nil {
		t.Fatal(err)
	}
	return run.Total
}

// TestStagesCompared checks that runs of nine stages are compared stage by stage: what became slower, what failed, what
// came, and the cores.
func TestStagesCompared(t *testing.T) {
	t.Parallel()
	_, before := stagesTape(t, []string{"--seed", "1"})
	for name, x := range map[string]struct {
		flags   []string
		changes []string
		want    []string
	}{
		"records take longer": {changes: []string{
			"tasks: 40, records: 80000, cost: 0.1ms",
			"tasks: 40, records: 80000, cost: 0.15ms",
		}, want: []string{
			"1m26s to 1m30s, +4s (+5%)\nMostly +4s time for each record",
			"stage join of revenue: 8s to 12s a task, +50%: time a record +50%",
		}},
		"more records": {
			changes: []string{"tasks: 40, records: 80000", "tasks: 40, records: 120000"},
			want:    []string{"1m26s to 1m30s, +4s (+5%)\nMostly +4s more or fewer records"},
		},
		"fewer cores": {changes: []string{"cores: 20", "cores: 10"}, want: []string{
			"1m26s to 2m19s, +53s (+62%)\nMostly +53s another cluster", "the cluster has 20 cores (was 40 cores)",
		}},
		"a failure": {flags: []string{"--fail", "revenue:m59@39s"}, want: []string{
			"lost work that ran again",
			"1 failed attempt (was 0)",
		}},
		"a stage is gone": {
			changes: []string{
				"      - {name: write, after: [total], tasks: 1, records: 1000, cost: 1ms}\n", "",
				"tasks: 10", "tasks: 5",
			},
			want: []string{
				"-1s jobs that only one of the runs has", "write           1 → ?",
				"stage total of revenue has 5 tasks (was 10)",
			},
		},
	} {
		_, now := stagesTape(t, append(x.flags, "--seed", "2"), x.changes...)
		code, stdout, stderr := session.Run(t, "compare", before, now)
		if code != program.ExitOK {
			t.Fatalf("%s: exit code %d: %s", name, code, stderr)
		}
		for _, want := range x.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: want %q in\n%s", name, want, stdout)
			}
		}
	}
}

type frameOfStages struct {
	Elapsed   float64 `json:"elapsed_seconds"`
	Workflow  struct{ State string }
	Estimates []struct {
		Remaining *float64 `json:"remaining_seconds"`
	}
	Jobs []struct {
		Stages []struct {
			Name  string
			After []string
			Done  int
		}
	}
}
