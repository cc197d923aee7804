package recording

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

func TestSniff(t *testing.T) {
	_, tape := short(t)
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	_, _ = w.Write(tape)
	_ = w.Close()
	capture := `{"t":1,"ms":2,"date":"","url":"/ws/v1/cluster/info","status":200,"type":"application/json","body":"{}"}` + "\n"
	for name, c := range map[string]struct {
		file []byte
		want Kind
	}{
		"tape":           {tape, OfObservations},
		"zipped tape":    {zip.Bytes(), OfObservations},
		"capture":        {[]byte(capture), OfAnswers},
		"long body":      {[]byte(`{"url":"/x","t":1,"body":"` + strings.Repeat("x", 1<<20) + `"}`), OfAnswers},
		"body first":     {[]byte(`{"body":"` + strings.Repeat("x", 1<<10) + `","url":"/x","t":1}`), OfAnswers},
		"plan file":      {[]byte("version: 1\nname: join\n"), Unknown},
		"no instant":     {[]byte(`{"url":"/x","status":200,"body":""}`), Unknown},
		"other JSON":     {[]byte(`{"jobs":[]}`), Unknown},
		"future tape":    {[]byte(`{"paratimer_tape":99}`), OfObservations},
		"history":        {[]byte("Avro-Json\n{\"type\":\"record\"}\n"), History},
		"binary history": {[]byte("Avro-Binary\n{}\n\x00\x01"), History},
		"tracker":        {[]byte("Meta VERSION=\"1\" .\n"), History},
		"old tracker":    {[]byte("Job JOBID=\"job_200903042324_10816\" JOBNAME=\"x\"\n"), History},
		"trace": {[]byte(
			"{\n  \"priority\" : \"NORMAL\",\n  \"jobID\" : \"job_1_1\",\n  \"mapTasks\" : [ {\n"), Trace},
		"other job":      {[]byte(`{"jobID":"job_1_1"}`), Unknown},
		"event log":      {[]byte(`{"Event": "SparkListenerLogStart", "Spark Version": "3.5.1"}` + "\n"), EventLog},
		"empty":          {nil, Unknown},
		"cut-off header": {tape[:12], Unknown},
	} {
		kind, r, err := Sniff(bytes.NewReader(c.file))
		if err != nil || kind != c.want {
			t.Errorf("%s: %v, %v, want %v", name, kind, err, c.want)
			continue
		}
		all, err := io.ReadAll(r)
		if want := c.file; err != nil || name != "zipped tape" && !bytes.Equal(all, want) || name == "zipped tape" &&
			!bytes.Equal(all, tape) {
			t.Errorf("%s: sniffing loses a part of the file: %d bytes, %v", name, len(all), err)
		}
	}
}

// Every real recording is recognized as a capture.
func TestSniffRecordings(t *testing.T) {
	files, err := fixtures.Recordings("recordings")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if kind, _, err := Sniff(f); kind != OfAnswers || err != nil {
			t.Errorf("%s: %v, %v", name, kind, err)
		}
		_ = f.Close()
	}
	t.Logf("%d recordings", len(files))
}

// TestSniffPast leaves out what editors put before a recording.
func TestSniffPast(t *testing.T) {
	const history, line = "Avro-Json\n{}\n", `{"paratimer_tape":1}`
	for name, c := range map[string]struct {
		file, rest string
		want       Kind
	}{
		"blank lines":     {"\r\n \n" + history, history, History},
		"mark":            {"\ufeff" + history, history, History},
		"mark and tape":   {"\ufeff" + line, line, OfObservations},
		"blank and tape":  {"\n" + line, "\n" + line, Unknown},
		"configuration":   {"\ufeff<!-- a --><configuration/>", "<!-- a --><configuration/>", Unknown},
		"no end":          {"<!-- a\n" + history, "<!-- a\n" + history, Unknown},
		"a mark and that": {"\ufeff", "", Unknown},
	} {
		kind, r, err := Sniff(strings.NewReader(c.file))
		if err != nil || kind != c.want {
			t.Errorf("%s is a %v, %v", name, kind, err)
			continue
		}
		if rest, err := io.ReadAll(r); string(rest) != c.rest || err != nil {
			t.Errorf("%s: %q is left, %v", name, rest, err)
		}
	}
}

// TestPlace: files have the names that the user would type, and those elsewhere the names that they have there.
func TestPlace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "a.log")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := Place{Name: "webhdfs://h:1/logs", In: fstest.MapFS{"logs/b": {}}, File: "logs"}
	for _, c := range []struct {
		place      Place
		file, want string
		isFolder   bool
	}{
		{LocalPlace(folder), "sub/b", filepath.Join(folder, "sub", "b"), true},
		{LocalPlace(file), "a.log", file, false},
		{LocalPlace(file), "a.zip", filepath.Join(folder, "a.zip"), false},
		{elsewhere, "logs/b", "logs/b", true},
		{elsewhere, "logs", "webhdfs://h:1/logs", true},
	} {
		if got := c.place.Path(c.file); got != c.want || c.place.IsFolder() != c.isFolder {
			t.Errorf("%s of %s: %s, folder %v", c.file, c.place.Name, got, c.place.IsFolder())
		}
	}
}
