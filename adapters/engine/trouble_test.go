package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

func line(t int64, path, body string) string {
	return fmt.Sprintf(`{"t":%d,"ms":2.5,"date":"Sat, 21 Nov 2026 00:57:06 GMT","url":"http://rm:8088%s","status":200,"type":"application/json","body":%q}`+"\n", t, path, body)
}

// TestByteOrderMark: an answer with a byte order mark names its applications.
func TestByteOrderMark(t *testing.T) {
	body := "\ufeff" + `{"apps":{"app":[{"id":"application_1_0001","applicationType":"MAPREDUCE","state":"RUNNING","startedTime":1000}]}}`
	rec, err := recording.ReadAnswers(strings.NewReader(line(1000, "/ws/v1/cluster/apps", body)))
	if err != nil {
		t.Fatal(err)
	}
	if apps := len(yarn.RecordedApps(rec)); apps != 1 {
		t.Errorf("%d applications", apps)
	}
}

// TestCutRecordings checks that a truncated recording plays to its end, with a warning.
func TestCutRecordings(t *testing.T) {
	for _, file := range recordings(t)[:1] {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := recording.ReadAnswers(bytes.NewReader(raw[:len(raw)/2]))
		if err != nil {
			t.Fatal(err)
		}
		src, err := Replay(rec, recording.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			s, err := src.Next(context.Background())
			if err == nil {
				if s.State != dag.Running {
					t.Fatalf("snapshot %d is %v", n, s.State)
				}
				continue
			}
			var cut *recording.CutOffError
			if !errors.As(err, &cut) || !cut.Torn || !errors.Is(err, io.ErrUnexpectedEOF) || n < 5 {
				t.Errorf("after %d snapshots: %v", n, err)
			}
			break
		}
	}
}

func FuzzReplay(f *testing.F) {
	good := line(1000, "/ws/v1/cluster/apps",
		`{"apps":{"app":[{"id":"application_1_0001","state":"RUNNING","startedTime":1000}]}}`)
	f.Add([]byte(good + good))
	f.Add([]byte(good + line(2000, "/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/conf", `{"conf":{}}`)))
	f.Add([]byte(good[:30]))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, b []byte) {
		rec, err := recording.ReadAnswers(bytes.NewReader(b))
		if err != nil {
			return
		}
		src, err := Replay(rec, recording.Options{})
		if err != nil {
			return
		}
		for range 20 {
			if _, err := src.Next(context.Background()); err != nil {
				var missed *dag.MissedError
				if !errors.As(err, &missed) {
					return
				}
			}
		}
	})
}

// TestFlaws checks that snapshots report the flaws of a recording that affect them, and a failed answer is a missed
// observation.
func TestFlaws(t *testing.T) {
	apps := `{"apps":{"app":[{"id":"application_1_0001","state":"RUNNING","startedTime":1000,"applicationType":"MAPREDUCE"}]}}`
	failed := strings.Replace(line(2000, "/ws/v1/cluster/apps", "broken"), `"status":200`, `"status":500`, 1)
	rec, err := recording.ReadAnswers(strings.NewReader(line(1000, "/ws/v1/cluster/apps", apps) + "garbage\n" + failed +
		line(3000, "/ws/v1/cluster/apps", apps) + `{"t":3`))
	if err != nil {
		t.Fatal(err)
	}
	src, err := Replay(rec, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 4 {
		s, err := src.Next(context.Background())
		var missed *dag.MissedError
		switch {
		case errors.As(err, &missed):
			got = append(got, fmt.Sprint("missed ", missed.At))
		case err != nil:
			got = append(got, err.Error())
		default:
			codes := fmt.Sprint(s.At)
			for _, w := range s.Warnings {
				if w.Code == dag.WarnTornTape || strings.Contains(w.Text, "of the recording") {
					codes += " " + w.Code
				}
			}
			got = append(got, codes)
		}
	}
	want := []string{
		"1000 observation", "missed 2000", "3000 observation torn_tape",
		"the recording breaks off in the middle of a line at 1970-01-01T00:00:03Z, before the workflow's end",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
