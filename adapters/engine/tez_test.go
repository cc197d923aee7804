package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/dag"
)

func answered(t *testing.T, lines ...string) func(at dag.Instant, path string) string {
	t.Helper()
	rec, err := recording.ReadAnswers(strings.NewReader(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	p := tez.NewPlayer(rec)
	return func(at dag.Instant, path string) string {
		p.Seek(at)
		req, _ := http.NewRequest(http.MethodGet, "http://elsewhere"+path, nil)
		resp, err := p.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusOK {
			return resp.Status
		}
		return string(b)
	}
}

// TestTezLists checks that a recorded list of a DAG has the requested items, each as it was last recorded.
func TestTezLists(t *testing.T) {
	t.Parallel()
	const base = "/proxy/application_1_0001/ws/v2/tez/"
	row := func(id, status string) string { return fmt.Sprintf(`{"id":%q,"status":%q}`, id, status) }
	get := answered(t,
		line(1000, base+"dagInfo?dagID=1", `{"dag":{"id":"dag_1_0001_1"}}`),
		line(2000, base+"dagInfo?dagID=2", `{"dag":{"id":"dag_1_0001_2"}}`),
		line(1000, base+"tasksInfo?dagID=1&limit=9", `{"tasks":[`+row("task_1_0001_1_00_000000", "RUNNING")+","+
			row("task_1_0001_1_01_000000", "NEW")+","+row("task_1_0001_1_01_000001", "NEW")+`]}`),
		line(1000, base+"tasksInfo?dagID=2", `{"tasks":[]}`),
		line(2000, base+"tasksInfo?dagID=1&vertexID=1", `{"tasks":[`+row("task_1_0001_1_01_000000", "RUNNING")+`]}`),
		line(3000, base+"tasksInfo?dagID=1&vertexID=0,1", `{"tasks":[]}`),
		line(1000, base+"attemptsInfo?dagID=1&attemptID=0_0_0,0_0_1,0_12_0", `{"attempts":[`+
			row("attempt_1_0001_1_00_000000_0", "RUNNING")+","+row("attempt_1_0001_1_00_000012_0", "RUNNING")+`]}`),
		line(2000, base+"attemptsInfo?dagID=1&attemptID=0_0_0&counters=x", `{"attempts":[`+
			row("attempt_1_0001_1_00_000000_0", "FAILED")+`]}`),
	)
	for _, c := range []struct {
		at         dag.Instant
		path, want string
	}{
		{1000, "dagInfo?dagID=1", "dag_1_0001_1"},
		{1000, "dagInfo?dagID=2", "404 Not Found"},
		{2000, "dagInfo?dagID=2&counters=x", "dag_1_0001_2"},
		{2000, "tasksInfo?dagID=1", "0:RUNNING 0:RUNNING"},
		{1000, "tasksInfo?dagID=1&vertexID=1", "0:NEW 1:NEW"},
		{1000, "tasksInfo?dagID=1&vertexID=7", ""},
		{3000, "tasksInfo?dagID=1", ""},
		{3000, "tasksInfo?dagID=2", ""},
		{1500, "attemptsInfo?dagID=1&attemptID=0_0_0,0_12_0", "0:RUNNING 0:RUNNING"},
		{2500, "attemptsInfo?dagID=1&limit=90&attemptID=0_12_0,0_0_1,0_0_0", "0:RUNNING 0:FAILED"},
		{2500, "attemptsInfo?dagID=1&attemptID=0_1_0", ""},
	} {
		got := get(c.at, base+c.path)
		if strings.HasPrefix(got, "{") && !strings.Contains(c.path, "dagInfo") {
			var b map[string][]struct{ ID, Status string }
			if err := json.Unmarshal([]byte(got), &b); err != nil || len(b) != 1 {
				t.Fatalf("%s: %v", got, err)
			}
			var rows []string
			for _, list := range b {
				for _, r := range list {
					rows = append(rows, r.ID[len(r.ID)-1:]+":"+r.Status)
				}
			}
			got = strings.Join(rows, " ")
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("at %v %s: %s, want %s", c.at, c.path, got, c.want)
		}
	}
}

// A log file is joined from all of its recorded pieces, with its length then.
func TestLogFiles(t *testing.T) {
	t.Parallel()
	const path = "/ws/v1/node/containers/container_1_0001_01_000001/logs/syslog"
	piece := func(length int, text string) string {
		return fmt.Sprintf("Container: c\nLogType:syslog\nLogLength:%d\nLogContents:\n%sEnd of LogType:syslog.This log file belongs to a running container.\n***\n\n", length, text)
	}
	whole := "one\ntwo\nthree\nfour\n"
	get := answered(t,
		line(1000, path+"?size=-100", piece(6, whole[:6])),
		line(2000, path+"?size=-3", piece(12, whole[9:12])), // 6 to 8 are missing
		line(3000, path+"?size=-100", piece(19, whole[5:])),
		line(4000, path+"?size=-100", `{"RemoteException":{}}`),
		line(5000, "/ws/v1/node/containers/container_1_0001_01_000001/logs/other?size=-3", piece(12, "abc")),
	)
	for _, c := range []struct {
		at     dag.Instant
		size   string
		length int64
		want   string
	}{
		{1000, "?size=-100", 6, whole[:6]},
		{1999, "?size=-2", 6, whole[4:6]},
		{2000, "?size=-12", 12, whole[:12]}, // what is missing then came later
		{2000, "?size=-5", 12, whole[7:12]},
		{3000, "?size=4", 19, whole[:4]},
		{3500, "", 19, whole},
	} {
		length, got, ok := tez.SplitLog(get(c.at, path+c.size), 0)
		if length != c.length || got != c.want || !ok {
			t.Errorf("at %v%s: %d bytes, %q, want %d, %q", c.at, c.size, length, got, c.length, c.want)
		}
	}
	if _, got, _ := tez.SplitLog(get(5000, strings.Replace(path, "syslog", "other", 1)), 0); got != strings.Repeat("\n",
		9)+"abc" {
		t.Errorf("%q", got)
	}
}
