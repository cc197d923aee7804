package spark

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

func logText(t *testing.T) []byte {
	t.Helper()
	return fixtures.Read(t, filepath.Join("testdata", "skew-3.eventlog.gz"))
}

// localLogs returns the event logs in a local file or folder.
func localLogs(name string) ([]LogFile, error) {
	p := recording.LocalPlace(name)
	return FindLogs(context.Background(), p.In, p.File)
}

// openLog reads the only event log of a local file or folder.
func openLog(name string) (*Log, error) {
	logs, err := localLogs(name)
	if err != nil || len(logs) != 1 {
		return nil, fmt.Errorf("%d logs, %w", len(logs), err)
	}
	return logs[0].Open()
}

func isLog(name string) bool { return IsHistory(recording.LocalPlace(name)) }

// atEnd returns the last snapshot of a log.
func atEnd(t *testing.T, l *Log) *dag.Snapshot {
	t.Helper()
	s, ok := l.Reader("").At(l.Last)
	if !ok {
		t.Fatal("there is no job in the log")
	}
	return s
}

func done(s *dag.Snapshot) (tasks, succeeded int) {
	for k := range s.Plan.Jobs[0].Stages {
		tasks += s.Plan.Jobs[0].Stages[k].Tasks
		succeeded += s.Jobs[0].Stages[k].Succeeded()
	}
	return tasks, succeeded
}

// TestLogs checks that the logs of three applications are read to their ends.
func TestLogs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file          string
		stages, tasks int
		seconds       float64
	}{
		{"skew-3.eventlog.gz", 2, 26, 45.591},
		{"rdd4-1.eventlog.zstd", 6, 0, 180.371},
		{"aqe-3.eventlog.gz", 8, 54, 67.753},
	} {
		if !isLog(filepath.Join("testdata", c.file)) {
			t.Errorf("%s: not recognized as an event log", c.file)
		}
		l, err := openLog(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		s := atEnd(t, l)
		tasks, ended := done(s)
		took := s.Jobs[0].Finished.Sub(s.Origin()).Seconds()
		if s.State != dag.Succeeded || len(s.Plan.Jobs[0].Stages) != c.stages || tasks != ended || c.tasks > 0 &&
			tasks != c.tasks || took < c.seconds-0.1 || took > c.seconds+0.1 {
			t.Errorf("%s: %v, %d stages, %d of %d tasks, %.3f s", c.file, s.State, len(s.Plan.Jobs[0].Stages), ended,
				tasks, took)
		}
	}
}

// TestLogKnowsOnlyThePast checks that a log that is played shows no later event, and the edges between stages.
func TestLogKnowsOnlyThePast(t *testing.T) {
	t.Parallel()
	l, err := openLog(filepath.Join("testdata", "skew-3.eventlog.gz"))
	if err != nil {
		t.Fatal(err)
	}
	s, ok := l.Reader("").At(l.First + 5000)
	if !ok || s.State != dag.Running || !s.Plan.Open || s.Plan.Cluster.Cores != 4 {
		t.Fatalf("after 5 s: %v, open %v, %d cores", s.State, s.Plan.Open, s.Plan.Cluster.Cores)
	}
	if e := s.Plan.Jobs[0].Stages[1].After; len(e) != 1 || e[0].From != 0 || e[0].Kind != dag.Barrier {
		t.Errorf("the second stage reads %+v", e)
	}
	for _, a := range s.Jobs[0].Stages[0].Attempts {
		if a.Start > s.At || a.End.Known() && a.End > s.At {
			t.Errorf("task %d runs from %d to %d at %d", a.Task, a.Start, a.End, s.At)
		}
	}
}

// TestLogPackings checks that a log is the same one however it is packed and cut into pieces.
func TestLogPackings(t *testing.T) {
	t.Parallel()
	text := logText(t)
	half := bytes.IndexByte(text[len(text)/2:], '\n') + len(text)/2 + 1
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = z.Write(text[:half]) // memory takes all
	_ = z.Close()
	var archive bytes.Buffer
	zw := zip.NewWriter(&archive)
	for name, b := range map[string][]byte{
		"eventlog_v2_app-1/events_1_app-1.zstd": packed.Bytes(),
		"eventlog_v2_app-1/events_2_app-1":      text[half:], "eventlog_v2_app-1/appstatus_app-1": nil,
	} {
		w, err := zw.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(b)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("rolled/events_1_app-1.zstd", packed.Bytes())
	write("rolled/appstatus_app-1", nil)
	write("rolled/events_2_app-1", text[half:])
	for _, path := range []string{
		write("plain", text), write("log.lz4", lz4Of(text)), write("log.zip", archive.Bytes()),
		filepath.Join(dir, "rolled"),
	} {
		if !isLog(path) {
			t.Errorf("%s: not recognized as an event log", path)
			continue
		}
		l, err := openLog(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if s := atEnd(t, l); s.State != dag.Succeeded {
			t.Errorf("%s ends as %v", path, s.State)
		}
	}
}

// lz4Of packs a text in blocks of literals, the first one as it is.
func lz4Of(text []byte) []byte {
	var out []byte
	block := func(method byte, data []byte, size int) {
		out = append(out, lz4Magic...)
		out = append(out, method)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
		out = binary.LittleEndian.AppendUint32(out, uint32(size))
		out = append(append(out, 0, 0, 0, 0), data...)
	}
	block(0x16, text[:100], 100)
	for text = text[100:]; len(text) > 0; {
		n := min(len(text), 15+255+3)
		data := []byte{byte(min(n, 15) << 4)}
		if n >= 15 {
			for rest := n - 15; ; rest -= 255 {
				if data = append(data, byte(min(rest, 255))); rest < 255 {
					break
				}
			}
		}
		block(0x26, append(data, text[:n]...), n)
		text = text[n:]
	}
	block(0x16, nil, 0)
	return out
}

// TestTornLog checks that a log of an application that runs ends in the middle of a line.
func TestTornLog(t *testing.T) {
	t.Parallel()
	text := logText(t)
	l, err := readLog(bytes.NewReader(text[:len(text)*2/3]))
	if err != nil {
		t.Fatal(err)
	}
	if s := atEnd(t, l); !l.Torn || l.Ended || s.State != dag.Running {
		t.Errorf("torn %v, ended %v, %v", l.Torn, l.Ended, s.State)
	}
	if _, err := readLog(strings.NewReader("hello\n")); err == nil {
		t.Error("a text that is no log is read")
	}
}

// TestLogSkipsWrittenStages checks that jobs of adaptive execution expect none of the stages that an earlier job has
// written, at no event: neither between the start of a job and that of its stage.
func TestLogSkipsWrittenStages(t *testing.T) {
	t.Parallel()
	l, err := openLog(filepath.Join("testdata", "aqe-3.eventlog.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r := l.Reader("")
	for n, e := range l.events {
		e.kind.apply(r.app, &e)
		s, ok := r.app.Snapshot(e.at, false)
		if !ok {
			continue
		}
		for _, stage := range s.Plan.Jobs[0].Stages {
			if strings.HasSuffix(stage.Name, " #2") {
				t.Fatalf("event %d, %s: %s is expected again", n, e.kind.name, stage.Name)
			}
		}
	}
}
