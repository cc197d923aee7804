package damaged

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// The bounds of one command on one file. A file of a few KB must not cost more, however it is damaged. The time is
// generous, because a machine that fuzzes is busy.
const (
	fuzzTime   = time.Minute
	fuzzMemory = 2 << 30
	fuzzOutput = 64 << 20
)

// fuzzInputs are the files that FuzzCommands damages, each a few KB.
func fuzzInputs(f *testing.F, env []string) (names []string, files [][]byte) {
	f.Helper()
	dir := f.TempDir()
	add := func(name string, file []byte) { names, files = append(names, name), append(files, file) }
	read := func(path string) []byte { return fixtures.Read(f, path) }
	log := filepath.Join(dir, "eventlog")
	if err := os.WriteFile(log, smallEventLog(4), 0o600); err != nil {
		f.Fatal(err)
	}
	add("eventlog", smallEventLog(4))
	add("eventlog", smallEventLog(1))
	for _, args := range [][]string{
		{"history", "add", log, "-o", filepath.Join(dir, "tapes")},
		{"simulate", "../../examples/fig3a.yaml", "--every", "40s", "--quiet", "--record", filepath.Join(dir, "tapes", "mr.tape")},
		{"learn", log, "-o", filepath.Join(dir, "profile.yaml")},
	} {
		var stderr bytes.Buffer
		if code := program.Run(f.Context(), append([]string{"paratimer"}, args...), env, nil, io.Discard, &stderr); code != 0 {
			f.Fatalf("%v: exit code %d: %s", args, code, &stderr)
		}
	}
	tapes, err := filepath.Glob(filepath.Join(dir, "tapes", "*"))
	if err != nil || len(tapes) != 2 {
		f.Fatalf("the tapes are %v, %v", tapes, err)
	}
	for _, path := range tapes {
		add("run.tape", read(path))
	}
	add("committing.tape", read("testdata/damage/committing.tape"))
	add("run.capture", read("testdata/damage/run.capture.gz"))
	add("spark.capture", firstLines(read("../../adapters/spark/testdata/driver-killed.jsonl.gz"), 30))
	add("tez.capture", firstLines(read("../../adapters/tez/testdata/hivebad-1.jsonl.gz"), 30))
	add("job.jhist", twoOfEach(read("../../adapters/history/testdata/quadratic.jhist.gz")))
	add("trace.json", read("testdata/damage/run.trace.json"))
	add("plan.yaml", read("../../examples/skewed.yaml"))
	add("profile.yaml", read(filepath.Join(dir, "profile.yaml")))
	return names, files
}

// fuzzCommands are the commands that read a file. FILE is the file, WHOLE the same one undamaged, HERE a folder that is
// empty but for FILE.
var fuzzCommands = []string{
	"report FILE -o HERE/run.html",
	"report FILE --output json -o HERE/run.json",
	"replay FILE --output ndjson --estimators all --within 60s --record HERE/again.tape",
	"replay FILE",
	"whatif FILE",
	"whatif FILE --at 50% --slots 2x --fail task --skew none --output json",
	"whatif FILE --at 97%",
	"skew FILE",
	"skew FILE --at 50% --output json",
	"score FILE",
	"learn FILE -o HERE/profile.yaml",
	"learn FILE --demands -o HERE/demands.yaml",
	"history add FILE -o HERE/tapes",
	"history add HERE -o HERE/tapes",
	"compare WHOLE FILE --fail-on-regression",
	"compare FILE FILE WHOLE --output json",
	"check --recording FILE --at 50% --within 60s -v",
	"check --recording FILE --profile FILE",
	"history add FILE --state-dir HERE/state; history show load --state-dir HERE/state; history list --state-dir HERE/state",
	"estimate FILE --gantt HERE/gantt.svg",
	"replay WHOLE --profile FILE --output ndjson",
	"watch --rules ../../examples/rules.yaml --test FILE",
}

// FuzzCommands gives damaged files of every kind to the commands that read files. None may panic, run on, or take
// memory without bound; each ends with a documented exit code, prints the reason on stderr if it refuses the file, and
// leaves whole output files or none. Its seeds are quick; `go test -run '^$' -fuzz FuzzCommands -fuzztime 1h -parallel
// 1 ./cmd/paratimer` looks further.
func FuzzCommands(f *testing.F) {
	debug.SetTraceback("all") // for what runs on
	debug.SetMemoryLimit(fuzzMemory / 2)
	home := f.TempDir()
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "PARATIMER_LOG_LEVEL=error", "TZ=UTC"}
	names, files := fuzzInputs(f, env)
	for i := range fuzzCommands {
		f.Add(byte(i%len(files)), byte(i), []byte{})
		f.Add(byte(1), byte(i), []byte{}) // of one stage
		f.Add(byte(i*7%len(files)), byte(i), []byte{byte(i), byte(37 * i), 0, byte(i)})
	}
	f.Fuzz(func(t *testing.T, which, what byte, script []byte) {
		n := int(which) % len(files)
		file := fixtures.Damaged(files[n], script)
		if grows(files[n], file) {
			t.Skip("it may have millions of tasks")
		}
		here, elsewhere := t.TempDir(), t.TempDir()
		damaged, whole := filepath.Join(here, names[n]), filepath.Join(elsewhere, names[n])
		for path, file := range map[string][]byte{damaged: file, whole: files[n]} {
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		command := fuzzCommands[int(what)%len(fuzzCommands)]
		line := strings.NewReplacer("FILE", damaged, "WHOLE", whole, "HERE", here).Replace(command)
		stuck := time.AfterFunc(fuzzTime, func() { panic(command + " runs on") })
		defer stuck.Stop()
		for one := range strings.SplitSeq(line, "; ") {
			args := append([]string{"paratimer"}, strings.Fields(one)...)
			var stdout counter
			var stderr bytes.Buffer
			code := program.Run(context.Background(), args, env, strings.NewReader(""), &stdout, &stderr)
			if code < 0 || code > program.ExitBlind {
				t.Errorf("%s: exit code %d: %s", command, code, &stderr)
			}
			if code == program.ExitUsage && stderr.Len() == 0 && args[1] != "check" {
				t.Errorf("%s refuses the file and does not say why", command)
			}
			if stdout > fuzzOutput || stderr.Len() > fuzzOutput {
				t.Errorf("%s wrote %d bytes to stdout and %d to stderr", command, stdout, stderr.Len())
			}
		}
		wholeFiles(t, command, here, damaged)
		var memory runtime.MemStats
		if runtime.ReadMemStats(&memory); memory.Sys-memory.HeapReleased > fuzzMemory {
			t.Errorf("%s took %d MiB of memory", command, (memory.Sys-memory.HeapReleased)>>20)
		}
	})
}

// firstLines is a file cut behind its n-th line.
func firstLines(file []byte, n int) []byte {
	lines := bytes.SplitAfterN(file, []byte("\n"), n+1)
	return bytes.Join(lines[:min(n, len(lines))], nil)
}

// twoOfEach is job history with two events of each type at most.
func twoOfEach(file []byte) (short []byte) {
	seen := map[string]int{}
	for n, line := range bytes.SplitAfter(file, []byte("\n")) {
		kind, _, _ := bytes.Cut(line, []byte(","))
		if seen[string(kind)]++; n == 1 {
			line = []byte("{\"type\":\"record\"}\n") // text needs no schema
		}
		if seen[string(kind)] <= 2 {
			short = append(short, line...)
		}
	}
	return short
}

// tooMany matches numbers of tasks that are valid in plans, but take minutes to replay.
var tooMany = regexp.MustCompile(`\b[0-9]{5,8}\b`)

// grows reports whether a damaged file has such a number that the whole one has not.
func grows(whole, damaged []byte) bool {
	for _, number := range tooMany.FindAll(damaged, -1) {
		if !bytes.Contains(whole, number) {
			return true
		}
	}
	return false
}

// A counter counts bytes.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// wholeFiles checks each file that a command has written below a folder: none is a temporary one, or cut.
func wholeFiles(t *testing.T, command, folder, input string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == input {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(bytes.TrimSpace(content))
		cut := text == ""
		switch filepath.Ext(path) {
		case ".html":
			cut = !strings.HasSuffix(text, "</html>")
		case ".svg":
			cut = !strings.HasSuffix(text, "</svg>")
		case ".json":
			cut = !json.Valid(content)
		}
		if name := filepath.Base(path); cut && name != "again.tape" && !strings.HasSuffix(name, ".lock") {
			t.Errorf("%s: %s is cut: %.80q", command, name, content)
		} else if strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".lock") {
			t.Errorf("%s: it leaves %s", command, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// smallEventLog is a Spark application of about 10 KB: an execution of SQL with two broadcasts at once and a
// shuffle, a task that fails, and a copy of a task that is killed. It has up to four stages.
func smallEventLog(stages int) []byte {
	var log bytes.Buffer
	event := func(kind, format string, args ...any) {
		fmt.Fprintf(&log, `{"Event":%q,%s}`+"\n", kind, fmt.Sprintf(format, args...))
	}
	const start = 1760086400000
	stageInfo := func(id, rdd, parent int, more string) string {
		parents := ""
		if parent >= 0 {
			parents = fmt.Sprint(parent)
		}
		return fmt.Sprintf(`{"Stage ID":%d,"Stage Attempt ID":0,"Stage Name":"collect at a.py:%d","Number of Tasks":2,`+
			`"RDD Info":[{"RDD ID":%d,"Callsite":"collect at a.py:%d","Parent IDs":[],"Number of Partitions":2}],"Parent IDs":[%s]%s}`,
			id, id%2, rdd, id%2, parents, more)
	}
	taskInfo := func(id, index, from, to int, more string) string {
		return fmt.Sprintf(`{"Task ID":%d,"Index":%d,"Attempt":0,"Launch Time":%d,"Executor ID":"1","Host":"node1",`+
			`"Getting Result Time":0,"Finish Time":%d%s}`, id, index, start+from, to, more)
	}
	end := func(stage, id, index, from, to int, reason, more string) {
		event("SparkListenerTaskEnd", `"Stage ID":%d,"Stage Attempt ID":0,"Task Type":"ShuffleMapTask","Task End Reason":{"Reason":%s},`+
			`"Task Info":%s,"Task Metrics":{"Executor Deserialize Time":10,"Executor Run Time":%d,"Executor CPU Time":%d,`+
			`"Shuffle Read Metrics":{"Remote Bytes Read":%d,"Local Bytes Read":5,"Total Records Read":%d},`+
			`"Shuffle Write Metrics":{"Shuffle Bytes Written":700,"Shuffle Records Written":70},`+
			`"Input Metrics":{"Bytes Read":4096,"Records Read":40}}`,
			stage, reason, taskInfo(id, index, from, start+to, more), to-from-10, 1e6*(to-from-20), 100*stage, 10*stage)
	}
	begin := func(stage, id, index, from int, more string) {
		event("SparkListenerTaskStart", `"Stage ID":%d,"Stage Attempt ID":0,"Task Info":%s`, stage, taskInfo(id, index, from, 0, more))
	}
	event("SparkListenerLogStart", `"Spark Version":"3.5.1"`)
	event("SparkListenerEnvironmentUpdate", `"Spark Properties":{"spark.scheduler.mode":"FAIR","spark.speculation":"true"}`)
	event("SparkListenerApplicationStart", `"App Name":"load","App ID":"app-20251001085320-0000","Timestamp":%d,"User":"me"`, start)
	event("SparkListenerExecutorAdded", `"Timestamp":%d,"Executor ID":"1","Executor Info":{"Host":"node1","Total Cores":4}`, start+500)
	event("org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",
		`"executionId":0,"description":"q","details":"","physicalPlanDescription":"","sparkPlanInfo":{"nodeName":"Exchange","simpleString":"","children":[],"metadata":{},"metrics":[]},"time":%d`, start+900)
	for job := range min(3, stages) {
		from := 1000 + 3*job
		stages, ids := stageInfo(job, 4+job, -1, ""), fmt.Sprint(job)
		if job == 2 {
			from, stages, ids = 9000, stageInfo(2, 6, -1, "")+","+stageInfo(3, 9, 2, ""), "2,3"
		}
		event("SparkListenerJobStart", `"Job ID":%d,"Submission Time":%d,"Stage Infos":[%s],"Stage IDs":[%s],"Properties":{"spark.sql.execution.id":"0","spark.jobGroup.id":"g"}`,
			job, start+from, stages, ids)
	}
	at := map[int][2]int{0: {1010, 8000}, 1: {1013, 3000}, 2: {9010, 15000}, 3: {15100, 30000}}
	id := 0
	for stage := range min(4, stages) {
		from, to := at[stage][0], at[stage][1]
		event("SparkListenerStageSubmitted", `"Stage Info":%s,"Properties":{}`,
			stageInfo(stage, 4+stage, -1, fmt.Sprintf(`,"Submission Time":%d`, start+from)))
		begin(stage, id, 0, from, "")
		begin(stage, id+1, 1, from, "")
		end(stage, id, 0, from, to-900, `"Success"`, "")
		switch stage {
		case 1:
			end(stage, id+1, 1, from, from+300, `"ExceptionFailure","Class Name":"java.lang.Error","Description":"no"`, `,"Failed":true`)
			begin(stage, id+2, 1, from+310, "")
			end(stage, id+2, 1, from+310, to, `"Success"`, "")
		case 3:
			begin(stage, id+2, 1, to-500, `,"Speculative":true`)
			end(stage, id+1, 1, from, to, `"Success"`, "")
			end(stage, id+2, 1, to-500, to+5, `"TaskKilled","Kill Reason":"another attempt succeeded"`, `,"Speculative":true,"Killed":true`)
		default:
			end(stage, id+1, 1, from, to, `"Success"`, "")
		}
		id += 3
		event("SparkListenerStageCompleted", `"Stage Info":%s`,
			stageInfo(stage, 4+stage, -1, fmt.Sprintf(`,"Submission Time":%d,"Completion Time":%d`, start+from, start+to+10)))
		if stage != 2 {
			event("SparkListenerJobEnd", `"Job ID":%d,"Completion Time":%d,"Job Result":{"Result":"JobSucceeded"}`, min(stage, 2), start+to+15)
		}
	}
	event("org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd", `"executionId":0,"time":%d`, start+30100)
	event("SparkListenerApplicationEnd", `"Timestamp":%d`, start+31000)
	return log.Bytes()
}
