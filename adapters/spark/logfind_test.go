package spark

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/paratimer/paratimer/dag"
)

// lines are those of a log in pieces: the events before and in the stage of an application with one task.
func lines(app, attempt string) []string {
	return []string{
		`{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}`,
		`{"Event":"SparkListenerApplicationStart","App Name":"x","App ID":"` + app + `","App Attempt ID":"` + attempt +
			`","Timestamp":1795366700000,"User":"me"}`,
		`{"Event":"SparkListenerExecutorAdded","Timestamp":1795366701000,"Executor ID":"1","Executor Info":{"Host":"n","Total Cores":1}}`,
		`{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1795366705000,"Stage Infos":[{"Stage ID":0,"Number of Tasks":1,"RDD Info":[{"RDD ID":1}],"Parent IDs":[]}]}`,
		`{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Stage Attempt ID":0,"Number of Tasks":1,"Submission Time":1795366705000}}`,
		`{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":3,"Index":0,"Launch Time":1795366705800,"Executor ID":"1"}}`,
		`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":3,"Index":0,"Launch Time":1795366705800,"Finish Time":1795366709000,"Executor ID":"1"},"Task End Reason":{"Reason":"Success"}}`,
		`{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":0,"Stage Attempt ID":0,"Number of Tasks":1,"Submission Time":1795366705000,"Completion Time":1795366709000}}`,
		`{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":1795366709000,"Job Result":{"Result":"JobSucceeded"}}`,
		`{"Event":"SparkListenerApplicationEnd","Timestamp":1795366710000}`,
	}
}

func joined(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// TestFindLogs checks which logs are in a folder, their names, and the order of their files.
func TestFindLogs(t *testing.T) {
	t.Parallel()
	all := lines("app-1", "")
	whole, first, second, third := joined(all...), joined(all[:3]...), joined(all[3:6]...), joined(all[6:]...)
	type files map[string]string
	for name, c := range map[string]struct {
		files files
		want  string // names of logs and their pieces
	}{
		"single files": {
			files{
				"logs/app-2": whole, "logs/app-1.inprogress": whole, "logs/.app-1.crc": whole,
				"logs/notes.txt": "x", "logs/_SUCCESS": "", "logs/empty": "",
			},
			"logs/app-1.inprogress: app-1.inprogress; logs/app-2: app-2",
		},
		"rolling": {
			files{
				"eventlog_v2_app-1/events_2_app-1": second, "eventlog_v2_app-1/events_10_app-1": third,
				"eventlog_v2_app-1/events_1_app-1": first, "eventlog_v2_app-1/appstatus_app-1": "",
				"eventlog_v2_app-2/events_1_app-2.zstd": whole,
			},
			"eventlog_v2_app-1: events_1_app-1 events_2_app-1 events_10_app-1; eventlog_v2_app-2: events_1_app-2.zstd",
		},
		"compacted": {files{
			"a/events_1_app-1": first, "a/events_2_app-1.lz4": second, "a/events_2_app-1.lz4.compact": first + second,
			"a/events_3_app-1": third,
		}, "a: events_2_app-1.lz4.compact events_3_app-1"},
		"two attempts' pieces": {
			files{"a/events_1_application_1_1_1": whole, "a/events_1_application_1_1_2": whole},
			"a/events_1_application_1_1_1: events_1_application_1_1_1; a/events_1_application_1_1_2: events_1_application_1_1_2",
		},
		"Databricks": {
			files{"d/eventlog": third, "d/eventlog-2023-06-14--15-30.gz": second, "d/eventlog-2023-06-14--14-30.gz": first},
			"d: eventlog-2023-06-14--14-30.gz eventlog-2023-06-14--15-30.gz eventlog",
		},
		"one called eventlog":        {files{"d/eventlog": whole}, "d/eventlog: eventlog"},
		"names of pieces, no events": {files{"d/events_1_sales.csv": "a,b\n", "d/eventlog-2023-06-14--15-30": "x"}, ""},
	} {
		in := fstest.MapFS{}
		for name, text := range c.files {
			in["root/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
		logs, err := FindLogs(t.Context(), in, "root")
		var got []string
		for _, l := range logs {
			bases := make([]string, len(l.pieces))
			for i, p := range l.pieces {
				bases[i] = filepath.Base(p)
			}
			got = append(got, strings.TrimPrefix(l.Name, "root/")+": "+strings.Join(bases, " "))
			log, err := l.Open()
			if err != nil || log.ID() != "app-1" {
				t.Errorf("%s: %v", name, err)
				continue
			}
			s := atEnd(t, log)
			if tasks, ended := done(s); s.State != dag.Succeeded || tasks != 1 || ended != 1 ||
				len(s.Jobs[0].Stages[0].Attempts) != 1 {
				t.Errorf("%s: %s, %d of %d tasks", name, s.State, ended, tasks)
			}
		}
		if text := strings.Join(got, "; "); err != nil || text != c.want {
			t.Errorf("%s: %s, %v, want %s", name, text, err, c.want)
		}
	}
}

// TestFindLogsSkips checks that what cannot be opened, or is not to be opened, is no log.
func TestFindLogsSkips(t *testing.T) {
	t.Parallel()
	in := fstest.MapFS{
		"root/pipe": {Mode: fs.ModeNamedPipe}, "root/bad.zip": {Data: []byte(zipMagic + "x")},
		"root/job_201109281530_0001_me_x": {Data: []byte(joined(lines("a", "")...))},
	}
	if logs, err := FindLogs(t.Context(), in, "root"); err != nil || len(logs) != 0 {
		t.Errorf("%v, %v", logs, err)
	}
}

// TestAttempts checks that the attempts of an application are runs of their own, also in one zip as a history server
// gives them.
func TestAttempts(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range 4 {
		w, err := z.Create(fmt.Sprintf("application_1_7_%d", i+1))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(joined(lines("application_1_7", fmt.Sprint(i+1))...))) // memory takes all
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "logs.zip")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	logs, err := localLogs(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range logs {
		l, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if s := atEnd(t, l); s.ID != l.ID() || !l.Holds("application_1_7") || !l.Holds(l.ID()) || l.Holds("application_1") {
			t.Errorf("%s is of %s", s.ID, l.ID())
		}
		got = append(got, l.ID())
	}
	if want := []string{"application_1_7", "application_1_7_2", "application_1_7_3", "application_1_7_4"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLogKinds checks that a log is read however it is packed and whatever its first event is.
func TestLogKinds(t *testing.T) {
	t.Parallel()
	all := lines("app-1", "")
	text := joined(all...)
	window, err := zstd.NewWriter(nil, zstd.WithWindowSize(128<<20))
	if err != nil {
		t.Fatal(err)
	}
	packed := func(w interface {
		Write([]byte) (int, error)
		Close() error
	}, b *bytes.Buffer,
	) string {
		_, _ = w.Write([]byte(text))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var g, l, s, z bytes.Buffer
	window.Reset(&z)
	const snappy = "\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"
	block := s2.EncodeSnappy(nil, []byte(text))
	for name, file := range map[string]string{
		"plain":        text,
		"gzip":         packed(gzip.NewWriter(&g), &g),
		"zstd --long":  packed(window, &z),
		"lz4 frame":    packed(lz4.NewWriter(&l), &l),
		"snappy frame": packed(s2.NewWriter(&s, s2.WriterSnappyCompat()), &s),
		"snappy":       snappy + string([]byte{0, 0, byte(len(block) >> 8), byte(len(block))}) + string(block),
		"Databricks": joined(append([]string{
			`{"Event":"DBCEventLoggingListenerMetadata","Spark Version":"3.4.1","Timestamp":1795366700000,"Rollover Number":0,"SparkContext Id":1}`,
		}, all[1:]...)...),
		"spaces":         strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(text),
		"mark and CR LF": "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"),
		"other order":    strings.ReplaceAll(text, `"Event":"SparkListenerJobStart","Job ID":0,`, `"Job ID":0,"Event":"SparkListenerJobStart",`),
		"no first event": joined(all[1:]...),
		"doubled":        text + text,
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		if !isLog(path) {
			t.Errorf("%s: not recognized as an event log", name)
			continue
		}
		log, err := openLog(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		end := atEnd(t, log)
		if took := end.Jobs[0].Finished.Sub(end.Jobs[0].Submitted).Seconds(); end.State != dag.Succeeded || took < 4 ||
			took > 5 || log.badLines > 0 {
			t.Errorf("%s: %v after %v s, %d bad lines", name, end.State, took, log.badLines)
		}
	}
}
