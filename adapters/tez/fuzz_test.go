package tez

import (
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// FuzzFiles lets a source read whatever files and answers: no panic, no snapshot that breaks the rules of dag, no
// reading without an end.
func FuzzFiles(f *testing.F) {
	lines := strings.Join([]string{
		dagLine, runningLine, memoryLine, pluginLine, slowLine, rootLine, initLine,
		sourceLine, launchLine, startLine, finishLine, taskLine, lostLine, endLine,
	}, "\n")
	lines = strings.ReplaceAll(lines, "1795366040025_0002_1", labID+"_1")
	plan := `{"entity":"` + labDAG +
		`","events":[{"ts":1,"eventtype":"DAG_SUBMITTED"}],"otherinfo":{"dagPlan":{"dagName":"x","vertices":[{"vertexName":"a"},{"vertexName":"b"}],` +
		`"edges":[{"inputVertexName":"b","outputVertexName":"a","dataMovementType":"ONE_TO_ONE"},{"inputVertexName":"a","outputVertexName":"b","dataMovementType":"SCATTER_GATHER"}]}}}` + "\x01"
	attempts := `{"attempts":[{"id":"attempt_` + labID +
		`_1_03_000005_0","status":"RUNNING","progress":"7","counters":{"` + taskCounters +
		`":{"OUTPUT_RECORDS":-1,"SHUFFLE_PHASE_TIME":1e300}}}]}`
	f.Add(lines, plan, `{"vertices":[{"id":"vertex_`+labID+`_1_1999","totalTasks":"1e9","runningTasks":"-1"}]}`,
		attempts)
	f.Add(lines, strings.ReplaceAll(plan, `"b"`, `"a"`), `{"vertices":{}}`, `[]`)
	f.Add(strings.ReplaceAll(lines, "=", "=,"), "\x01\x01", `{"vertices":[{"totalTasks":{}}]}`, `{"attempts":[{}]}`)
	f.Fuzz(func(t *testing.T, log, history, vertices, attempts string) {
		l := newLab(3, 2, 1000)
		l.files[labLog] = []byte(log)
		l.files["history.txt.x"] = []byte(history)
		l.bodies = map[string]string{"verticesInfo": vertices, "attemptsInfo": attempts}
		src := NewSource(l, yarn.Target{ID: labDAG})
		for range 3 {
			s, err := src.Next(t.Context())
			if err != nil {
				return
			}
			if len(s.Plan.Jobs[0].Stages) > mostVertices {
				t.Fatalf("%d stages", len(s.Plan.Jobs[0].Stages))
			}
			for k := range s.Plan.Jobs[0].Stages {
				for _, e := range s.Plan.Jobs[0].Stages[k].After {
					if int(e.From) >= k || !(e.Ratio >= 0 && e.Ratio <= 1 && e.Full >= e.Ratio && e.Full <= 1) &&
						e.Kind == dag.SlowStart {
						t.Fatalf("stage %d reads %+v", k, e)
					}
				}
				all := s.Jobs[0].Stages[k].Attempts
				if !slices.IsSortedFunc(all, func(a, b dag.Attempt) int {
					return int(a.Task-b.Task)*mostNumbers +
						int(a.Number-b.Number)
				}) {
					t.Fatalf("%+v", all)
				}
				for _, a := range all {
					if a.Start > s.At || a.End > s.At || a.Done[0] < 0 || a.Out < 0 || a.Ratio > 1 {
						t.Fatalf("%+v", a)
					}
				}
			}
			if err := dag.Validate(s.Plan); err != nil && s.Plan.Cluster.MemoryMB > 0 && !dag.TooLarge(s.Warnings) &&
				!strings.Contains(err.Error(), "needs") && !strings.Contains(err.Error(), "fits") {
				t.Fatal(err)
			}
			l.now += 1000
		}
	})
}

// FuzzSplitLog takes apart whatever answer about a log file.
func FuzzSplitLog(f *testing.F) {
	f.Add("Container: c\nLogType:x\nLogLength:3\nLogContents:\nabcEnd of LogType:x.\n****\n")
	f.Add("LogType:x\nLog Upload Time:y\nLogLength: 4\nLog Contents:\nabc\n\nEnd of LogType:x")
	f.Add("LogLength:99999999999999999999\nLogContents:\n")
	f.Fuzz(func(t *testing.T, body string) {
		if length, content, ok := SplitLog(body, 0); length < 0 || !strings.Contains(body, content) || !ok &&
			content != body {
			t.Fatalf("%d, %q, %v", length, content, ok)
		}
	})
}

// FuzzSizes reads whatever list of files.
func FuzzSizes(f *testing.F) {
	f.Add(`{"containerLogsInfo":{"containerLogInfo":[{"fileName":"syslog","fileSize":"12"}]}}`)
	f.Add(`{"containerLogsInfo":{"containerLogInfo":[{"fileName":"syslog","fileSize":0.5}]}}`)
	f.Add(`{"containerLogsInfo":[{"containerLogInfo":[{"fileName":"syslog","fileSize":12}]},{"containerLogInfo":[{"fileName":"x","fileSize":"-1"}]}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		b, err := yarn.Read[logsBody]("logs", []byte(body), nil)
		if err != nil {
			return
		}
		for name, size := range b.sizes() {
			if size <= 0 {
				t.Fatalf("%s: %d", name, size)
			}
		}
	})
}
