package planview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

func jsonOf(t *testing.T, v *View) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := view.JSON(&b, v.Figures(), ""); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The JSON of each golden plan is the golden files' `initial`, field by field and with the same names.
func TestJSONIsGolden(t *testing.T) {
	fields := 0
	for _, c := range golden.Load(t) {
		out := jsonOf(t, viewOf(t, c, golden.Start(c.Plan), schedule.Options{}))
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(out, &keys); err != nil {
			t.Fatalf("%s: %v\n%s", c.Name, err, out)
		}
		own := []string{"name", "worst_task", "estimates", "warnings", "skew"}
		for _, k := range own {
			if keys[k] == nil {
				t.Errorf("%s: no %s", c.Name, k)
			}
			delete(keys, k)
		}
		rest, err := json.Marshal(keys)
		if err != nil {
			t.Fatal(err)
		}
		var got golden.Forecast
		dec := json.NewDecoder(bytes.NewReader(rest))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&got); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		g, w := reflect.ValueOf(got), reflect.ValueOf(c.Initial)
		for i := range g.NumField() {
			if f := w.Field(i); f.IsNil() {
				continue // the file has none
			}
			if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
				t.Errorf("%s: %s\ngot  %v\nwant %v", c.Name, g.Type().Field(i).Name, g.Field(i).Interface(),
					w.Field(i).Interface())
			}
		}
		fields += 6*(len(c.Initial.Schedule)+len(c.Initial.Rounds)) + 8*len(c.Initial.Fragments) +
			4*len(c.Initial.CriticalPath) + 2
	}
	t.Logf("%d fields", fields)
	if fields == 0 {
		t.Error("nothing was compared")
	}
}

// From a snapshot on, too: attempts that ran before, with their primes, slots that are taken in any order.
func TestJSONFromSnapshots(t *testing.T) {
	schedules, primes := 0, 0
	for _, c := range golden.Load(t) {
		for _, in := range c.Instants {
			if c.Slowdown != [4]float64{1, 1, 1, 1} {
				continue
			}
			var got golden.Forecast
			if err := json.Unmarshal(jsonOf(t, viewOf(t, c, in.Snapshot, noOptions)), &got); err != nil {
				t.Fatal(err)
			}
			now := int64(in.At)
			for i := range got.Schedule {
				got.Schedule[i].StartMS += now
				got.Schedule[i].EndMS += now
			}
			for i := range got.Rounds {
				got.Rounds[i].StartMS += now
				got.Rounds[i].EndMS += now
				primes += strings.Count(strings.Join(got.Rounds[i].Tasks, ""), "'")
			}
			if !reflect.DeepEqual(got.Rounds, in.Replan.Rounds) {
				t.Errorf("%s at %d: rounds\ngot  %v\nwant %v", c.Name, now, got.Rounds, in.Replan.Rounds)
			}
			want := in.Replan.Schedule
			if want == nil {
				want = in.Future
				got.Schedule = slices.DeleteFunc(got.Schedule, func(s golden.Span) bool { return s.EndMS <= now })
			}
			schedules++
			if len(want)+len(got.Schedule) > 0 && !reflect.DeepEqual(got.Schedule, want) {
				t.Errorf("%s at %d: schedule\ngot  %v\nwant %v", c.Name, now, got.Schedule, want)
			}
		}
	}
	t.Logf("%d schedules, %d primes", schedules, primes)
}

// A span may hold slots on both sides of another's.
func TestJSONScheduleIsSorted(t *testing.T) {
	p := uniform(3, 3)
	v := &View{
		Plan: p, Full: func(int, dag.StageIndex, int) float64 { return 1 },
		Path: &pathfrag.Path{Schedule: &schedule.Schedule{End: 9, Spans: []schedule.Span{
			{Stage: dag.Map, First: 0, Count: 2, End: 9, Slots: []int32{0, 2}}, {
				Stage: dag.Map, First: 2, Count: 1,
				End:   9,
				Slots: []int32{1}, Attempt: 1,
			},
		}}},
	}
	var got golden.Forecast
	if err := json.Unmarshal(jsonOf(t, v), &got); err != nil {
		t.Fatal(err)
	}
	tasks := ""
	for _, s := range got.Schedule {
		tasks += fmt.Sprintf("%s %d %d, ", s.Task, s.Slot, s.Attempt)
	}
	if tasks != "j.m1 0 0, j.m3 1 1, j.m2 2 0, " {
		t.Errorf("got %s", tasks)
	}
}

func TestJSONExample(t *testing.T) {
	compare(t, "fig3a.json", jsonOf(t, example(t, "fig3a")))
}

// A pause is a round and a fragment without tasks, and lists are never null.
func TestJSONHasNoNullLists(t *testing.T) {
	for _, v := range []*View{example(t, "pig-join"), of(t, uniform(0, 1))} {
		var out map[string]any
		if err := json.Unmarshal(jsonOf(t, v), &out); err != nil {
			t.Fatal(err)
		}
		for _, k := range []string{"schedule", "rounds", "fragments", "critical_path", "estimates", "warnings"} {
			l, ok := out[k].([]any)
			if !ok {
				t.Errorf("%s is %v", k, out[k])
			}
			if k != "rounds" && k != "fragments" {
				continue
			}
			for _, e := range l {
				if _, ok := e.(map[string]any)["tasks"].([]any); !ok {
					t.Errorf("%s: no list of tasks in %v", k, e)
				}
			}
		}
	}
}

func TestJSONEstimates(t *testing.T) {
	var out struct {
		Name           string     `json:"name"`
		WorstTask      string     `json:"worst_task"`
		WorstSingleMS  float64    `json:"worst_single_task_ms"`
		CriticalPathMS int64      `json:"critical_path_ms"`
		Estimates      []estimate `json:"estimates"`
	}
	if err := json.Unmarshal(jsonOf(t, example(t, "paper-4.2GB")), &out); err != nil {
		t.Fatal(err)
	}
	// 28 minutes, section 4.2; the longest task is a map of j2, 727 s (facts/paratimer.md A2).
	if out.Name != "paper-4.2GB" || out.WorstTask != "j2.m1" || out.WorstSingleMS != 727_000 ||
		out.CriticalPathMS != 1_679_813 {
		t.Errorf("got %+v", out)
	}
	var names []string
	for _, e := range out.Estimates {
		names = append(names, e.Scenario)
		if e.RemainingSeconds == nil || *e.RemainingSeconds != *e.TotalSeconds || e.Meaning == "" {
			t.Errorf("%+v", e)
		}
		if want := map[string]frame.Seconds{"standard": 1679.813, "one_failure": 1679.813 + 727}[e.Scenario]; want > 0 &&
			*e.RemainingSeconds != want {
			t.Errorf("%s is %v, want %v", e.Scenario, *e.RemainingSeconds, want)
		}
	}
	if want := "standard one_failure failure_until_proven skew_low skew_high best_guess"; strings.Join(names,
		" ") != want {
		t.Errorf("scenarios %v", names)
	}
}

func TestJSONEscapesNames(t *testing.T) {
	p := uniform(2, 1)
	p.Name, p.Jobs[0].Node = "a\"b\\c\x1b<&>\n", "j\"1\x00 é\u2028"
	var out struct {
		Name     string
		Schedule []golden.Span
	}
	b := jsonOf(t, of(t, p))
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	if !bytes.Contains(b, []byte("<&>")) {
		t.Error("<, > and & are written as escapes, which people cannot read")
	}
	if out.Name != p.Name || out.Schedule[0].Task != p.Jobs[0].Node+".m1" {
		t.Errorf("got %q, %q", out.Name, out.Schedule[0].Task)
	}
	if i := slices.IndexFunc(b, func(c byte) bool { return c < ' ' && c != '\n' }); i >= 0 {
		t.Errorf("a control character at %d", i)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

var errFull = &json.UnsupportedValueError{Str: "the disk is full"}

func TestWriterErrorsAreTold(t *testing.T) {
	v := example(t, "fig3a")
	if view.JSON(failing{}, v.Figures(), "") == nil || v.Document().Text(failing{}) == nil {
		t.Error("a writer's error is lost")
	}
}
