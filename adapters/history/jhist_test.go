package history

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/linkedin/goavro/v2"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// fixture is a history of ours, unzipped.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	return fixtures.Read(t, filepath.Join("testdata", name+".jhist.gz"))
}

// binaryOf is the same history as Hadoop 3 writes it by default, encoded by goavro.
func binaryOf(t testing.TB, text []byte) []byte {
	t.Helper()
	lines := bytes.Split(text, []byte("\n"))
	codec, err := goavro.NewCodec(string(lines[1]))
	if err != nil {
		t.Fatal(err)
	}
	out := []byte("Avro-Binary\n" + string(lines[1]) + "\n")
	for _, l := range lines[2:] {
		if len(bytes.TrimSpace(l)) == 0 {
			continue
		}
		native, _, err := codec.NativeFromTextual(l)
		if err != nil {
			t.Fatal(err)
		}
		if out, err = codec.BinaryFromNative(out, native); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func read(t testing.TB, b []byte) *Job {
	t.Helper()
	j, err := readEvents(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestRead checks literal values of a recorded file, read with other tools.
func TestRead(t *testing.T) {
	j := read(t, fixture(t, "failure"))
	if j.ID != "job_1795222440184_0011" || j.Name != "PigLatin:join.pig" || j.User != "root" ||
		j.Queue != "root.default" ||
		j.Submitted != 1795222834955 || j.Launched != 1795222837830 || j.State != dag.Succeeded || !j.Sized ||
		j.Maps != 20 || j.Reduces != 6 {
		t.Errorf("the job is %+v", j)
	}
	if j.MapMB != 256 || j.ReduceMB != 256 || len(j.Masters) != 1 ||
		j.Masters[0] != (Master{At: 1795222836338, Node: "localhost:8042"}) {
		t.Errorf("containers of %d and %d MB, masters %v", j.MapMB, j.ReduceMB, j.Masters)
	}
	if u := j.Attempts[dag.Map][0].Usage; u.CPU != 0.24 || u.FileRead != 8260 || u.FileWritten != 362726 {
		t.Errorf("a map used %+v", u)
	}
	s := j.Settings
	want := map[string][]string{"scope-30": {"scope-48"}, "scope-39": {"scope-48"}}
	if !strings.HasPrefix(s.Workflow, "pig_") || s.WorkflowName != "join.pig" || s.Node != "scope-30" ||
		!cmp.Equal(s.After, want) {
		t.Errorf("the workflow is %+v", s)
	}
	if len(j.Attempts[dag.Map]) != 21 || len(j.Attempts[dag.Reduce]) != 6 {
		t.Fatalf("%d and %d attempts", len(j.Attempts[dag.Map]), len(j.Attempts[dag.Reduce]))
	}
	i := slices.IndexFunc(j.Attempts[dag.Map], func(a *Attempt) bool { return a.State == dag.AttemptFailed })
	a := j.Attempts[dag.Map][i]
	if a.Task != 6 || a.Number != 0 || a.Start != 1795222839942 || a.End.Sub(a.Start) != 10110*time.Millisecond ||
		a.Diagnosis != "Container killed on request. Exit code is 137" ||
		!slices.Equal(a.Splits, []int32{7839, 1557, 71, 71, 72, 71, 72, 71, 71, 72, 71, 72}) {
		t.Errorf("the failed attempt is %+v", a)
	}
	r := j.Attempts[dag.Reduce][0]
	if !r.CopyEnd.Known() || r.SortEnd < r.CopyEnd || !(r.Counts.Copied == 20) || !(r.Counts.Shuffled > 0) {
		t.Errorf("a reduce is %+v", r)
	}
}

// TestBinary checks that both encodings of one history are one job.
func TestBinary(t *testing.T) {
	for _, name := range []string{"failure", "quadratic"} {
		text := fixture(t, name)
		a, b := read(t, text), read(t, binaryOf(t, text))
		if diff := cmp.Diff(a, b, cmpopts.IgnoreUnexported(Attempt{}), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: - text, + binary\n%s", name, diff)
		}
		if b.Torn || b.Bad > 0 {
			t.Errorf("%s: torn %v, %d events unused", name, b.Torn, b.Bad)
		}
	}
}

// TestTorn cuts files anywhere: whole events are read, and a warning reports the cut.
func TestTorn(t *testing.T) {
	text := fixture(t, "quadratic")
	for name, b := range map[string][]byte{"text": text, "binary": binaryOf(t, text)} {
		head := bytes.Index(b, []byte("\n")) + 1
		head += bytes.Index(b[head:], []byte("\n")) + 1
		least, torn := 0, 0
		for cut := head; cut < len(b); cut += 997 {
			j, err := readEvents(bytes.NewReader(b[:cut]))
			if err != nil {
				if cut > head+5000 {
					t.Fatalf("%s cut at %d: %v", name, cut, err)
				}
				continue
			}
			n := len(j.Attempts[0]) + len(j.Attempts[1])
			if n < least || j.Bad > 0 {
				t.Fatalf("%s cut at %d: %d attempts after %d, %d events unused", name, cut, n, least, j.Bad)
			}
			if least = n; j.Torn {
				torn++
			}
		}
		if least != 10 || torn < 5 {
			t.Errorf("%s: %d attempts at the end, torn %d times", name, least, torn)
		}
	}
}

// lines makes a history of events without a schema, which the text form does not need.
func lines(events ...string) string { return "Avro-Json\n{}\n\n" + strings.Join(events, "\n\n") + "\n" }

func ev(kind, record, fields string) string {
	return `{"type":"` + kind + `","event":{"org.apache.hadoop.mapreduce.jobhistory.` + record + `":{` + fields + `}}}`
}

var (
	submit = ev("JOB_SUBMITTED", "JobSubmitted",
		`"jobid":"job_1700000000000_0001","jobName":"x","userName":"u","submitTime":1700000001000,"jobConfPath":"","acls":{},"jobQueueName":"default"`)
	inited = ev("JOB_INITED", "JobInited",
		`"jobid":"job_1700000000000_0001","launchTime":1700000005000,"totalMaps":1,"totalReduces":0,"jobStatus":"INITED","uberized":true`)
	start = ev("MAP_ATTEMPT_STARTED", "TaskAttemptStarted",
		`"taskid":"task_1700000000000_0001_m_000000","taskType":"MAP","attemptId":"attempt_1700000000000_0001_m_000000_0","startTime":1700000006000,"trackerName":"n1","httpPort":8042`)
	finish = ev("MAP_ATTEMPT_FINISHED", "MapAttemptFinished",
		`"attemptId":"attempt_1700000000000_0001_m_000000_0","finishTime":1700000009000,"hostname":"n1"`)
)

// TestOlder reads what events of Hadoop 0.23 lack, a job that its user killed, and tasks inside the master.
func TestOlder(t *testing.T) {
	j := read(t, []byte(lines(submit, inited, start, finish, ev("JOB_KILLED", "JobUnsuccessfulCompletion",
		`"jobid":"job_1700000000000_0001","finishTime":1700000010000,"jobStatus":"KILLED","diagnostics":{"string":"Job received Kill while in RUNNING state.\n"}`))))
	if j.State != dag.Killed || j.Finished != 1700000010000 ||
		j.Diagnosis != "Job received Kill while in RUNNING state." || !j.Uber || j.MapMB != 0 {
		t.Errorf("the job is %+v", j)
	}
	a := j.Attempts[dag.Map][0]
	if a.Node != "n1:8042" || a.State != dag.AttemptSucceeded || !math.IsNaN(a.Counts.MapIn) || len(a.Splits) > 0 {
		t.Errorf("the attempt is %+v", a)
	}
}

// TestLostOutput reads a map whose output was lost after it had succeeded: the event repeats the attempt's own end.
func TestLostOutput(t *testing.T) {
	j := read(t, []byte(lines(submit, inited, start, finish,
		ev("AM_STARTED", "AMStarted",
			`"applicationAttemptId":"appattempt_1700000000000_0001_000002","startTime":1700000020000,"nodeManagerHost":"n2","nodeManagerHttpPort":8042`),
		ev("MAP_ATTEMPT_KILLED", "TaskAttemptUnsuccessfulCompletion",
			`"attemptId":"attempt_1700000000000_0001_m_000000_0","finishTime":1700000009000,"status":"KILLED","error":"node lost"`))))
	a := j.Attempts[dag.Map][0]
	if a.State != dag.AttemptSucceeded || a.End != 1700000009000 || a.Lost != 1700000020000 ||
		a.LostAs != dag.AttemptKilled || a.LostWhy != "node lost" {
		t.Errorf("the attempt is %+v", a)
	}
	if j.Ended() || j.Last != 1700000020000 {
		t.Errorf("the job is %+v", j)
	}
}

// TestNoHistory checks the errors for files without a history.
func TestNoHistory(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":      {"", "its first line is neither Avro-Json nor Avro-Binary"},
		"other":      {"{}\n", "its first line is neither"},
		"JobTracker": {"Meta VERSION=\"1\" .\n", "make a trace of it with TraceBuilder"},
		"no schema":  {"Avro-Json\n", "the schema in line 2 is missing"},
		"no event":   {"Avro-Json\n{}\n", "no event of a job"},
		"no job":     {lines(start), "does not record when job_1700000000000_0001 was submitted"},
		"bad schema": {"Avro-Binary\n{\n", "the schema in line 2: it is not JSON"},
		"recursive": {"Avro-Binary\n" + `{"type":"record","name":"Event","fields":[{"name":"a","type":"Event"}]}` +
			"\nx", `type "Event" cannot be used here`},
		"empty items": {"Avro-Binary\n" +
			`{"type":"record","name":"Event","fields":[{"name":"a","type":{"type":"array","items":"null"}}]}` +
			"\nx", `type "null" cannot be used here`},
		"empty record": {"Avro-Binary\n" +
			`{"type":"record","name":"Event","fields":[{"name":"a","type":{"type":"record","name":"B","fields":[]}}]}` +
			"\nx", `type "B" is defined twice, or takes no bytes`},
	} {
		_, err := readEvents(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestBadEvents leaves out what is no event, and counts it.
func TestBadEvents(t *testing.T) {
	j := read(t, []byte(lines(submit, `{"type":"JOB_INITED","event":[]}`, "garbage",
		`{"type":"MAP_ATTEMPT_STARTED","event":{"x":{"attemptId":"attempt_7"}}}`, inited)))
	if j.Bad != 3 || !j.Sized {
		t.Errorf("%d events unused, sized %v", j.Bad, j.Sized)
	}
}

// TestHive: of a query's text nothing is taken over that stands in quotes, and its graph is read with its escapes.
func TestHive(t *testing.T) {
	j := read(t, []byte(lines(
		`{"type":"JOB_SUBMITTED","event":{"x":{"jobid":"job_1_0001","jobName":"select a where p='hunter2'(Stage-1)","userName":"u",`+
			`"submitTime":1000,"workflowId":"hive_u_1","workflowName":"-- nightly\nselect a\nfrom t where p='hunter2'","workflowNodeName":"Stage-1",`+
			`"workflowAdjacencies":"\"Stage\\-1\"=\"Stage\\-2,Stage\\-3\" \"Stage-2\"=\"Stage-0\" "}}}`)))
	s := j.Settings
	if j.Name != "select a where p='…' (Stage-1)" || s.WorkflowName != "select a" || s.Workflow != "hive_u_1" ||
		s.Node != "Stage-1" {
		t.Errorf("%q %+v", j.Name, s)
	}
	if want := map[string][]string{"Stage-1": {"Stage-2", "Stage-3"}, "Stage-2": {"Stage-0"}}; !cmp.Equal(s.After,
		want) {
		t.Errorf("got %v", s.After)
	}
}

func TestAdjacencies(t *testing.T) {
	got := adjacencies(`"a\"b"="c,d" "e"="" broken`)
	want := map[string][]string{`a"b`: {"c", "d"}, "e": {}}
	if !cmp.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if adjacencies(`"unclosed`) != nil {
		t.Error("an unclosed name makes a node")
	}
}

func TestConf(t *testing.T) {
	const text = `<?xml version="1.0" standalone="no"?><configuration>
<property><!--Loaded from job.xml--><name>mapreduce.map.memory.mb</name><value>2048</value></property>
<property><name>mapreduce.workflow.id</name><value>w</value><final>true</final></property></configuration>`
	p, err := readConf(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	j := read(t, []byte(lines(submit)))
	if j.Configure(p); !j.Configured || j.Settings.Workflow != "w" || j.Settings.Limits.MapMB != 2048 {
		t.Errorf("the settings are %+v", j.Settings)
	}
	for _, bad := range []string{
		"", "<configuration/>", "<configuration><property><name>x",
		"<!DOCTYPE x [<!ENTITY a 'b'>]><configuration><property><name>&a;</name></property></configuration>",
	} {
		if p, err := readConf(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is a configuration: %v", bad, p)
		}
	}
}

// TestEndlessBadLines: a file of bad lines alone is given up soon.
func TestEndlessBadLines(t *testing.T) {
	for _, bad := range []string{"x\n", "\n", "{}\n"} {
		if _, err := readEvents(fixtures.Endless("Avro-Json\n{}\n", bad)); err == nil ||
			!strings.Contains(err.Error(), "more than 1000 lines in a row") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

var millis = regexp.MustCompile(`\b1[4-9]\d{11}\b`)

// TestMasterClock checks the length of a job whose master's clock was set while it ran: for one event, or for good.
func TestMasterClock(t *testing.T) {
	t.Parallel()
	b := fixture(t, "quadratic")
	events := strings.Split(string(b), "\n")
	whole := read(t, b)
	if len(whole.Clocks) > 0 {
		t.Fatal(whole.Clocks)
	}
	var timed []int
	for i, l := range events {
		for _, kind := range []string{"JOB_INITED", "ATTEMPT_STARTED", "ATTEMPT_FINISHED", "JOB_FINISHED"} {
			if strings.Contains(l, kind+`"`) && i > 1 {
				timed = append(timed, i)
			}
		}
	}
	for n := 0; n < len(timed); n += 1 + len(timed)/12 {
		for _, by := range []int64{3_600_000, -3_600_000} {
			for _, good := range []bool{false, true} {
				to := timed[n] + 1
				if good {
					to = len(events)
				}
				damaged := slices.Clone(events)
				for i := timed[n]; i < to; i++ {
					damaged[i] = millis.ReplaceAllStringFunc(damaged[i], func(s string) string {
						var at int64
						_, _ = fmt.Sscan(s, &at)
						return fmt.Sprint(at + by)
					})
				}
				j := read(t, []byte(strings.Join(damaged, "\n")))
				got, want := j.Finished.Sub(j.Launched), whole.Finished.Sub(whole.Launched)
				// How long nothing happened when the clock was set for good is unknown. Forward, it may be a pause.
				most := 15 * time.Second
				if good {
					most = 35 * time.Second
				}
				if off := got - want; (off > most || off < -most) && !(good && by > 0) {
					t.Errorf("event %d of %d by %d ms, for good %v: %v instead of %v; %q", n, len(timed), by, good, got, want,
						j.Clocks)
				}
				for k := range j.Attempts {
					for _, a := range j.Attempts[k] {
						if a.Start < j.Launched-60_000 || a.End > j.Last {
							t.Errorf("event %d by %d ms, for good %v: an attempt from %v to %v", n, by, good,
								a.Start.Sub(j.Launched), a.End.Sub(j.Launched))
						}
					}
				}
			}
		}
	}
}

// TestFitting checks that a history's number of tasks is that of its attempts if it announces far more than it lists.
func TestFitting(t *testing.T) {
	t.Parallel()
	two := []*Attempt{newAttempt(dag.Map, 0, 0), newAttempt(dag.Map, 1, 0)}
	for _, c := range []struct{ tasks, want, attempts int }{
		{2, 2, 2}, {1, 2, 2}, {0, 2, 2}, {mostUnlisted, mostUnlisted, 2}, {10_000_000, 2, 2},
	} {
		got, attempts := fitting(c.tasks, append([]*Attempt(nil), two...))
		if got != c.want || len(attempts) != c.attempts {
			t.Errorf("%d announced: %d tasks, %d attempts; want %d, %d", c.tasks, got, len(attempts), c.want, c.attempts)
		}
	}
}
