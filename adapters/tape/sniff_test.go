package tape

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		"tape":           {tape, Tape},
		"zipped tape":    {zip.Bytes(), Tape},
		"capture":        {[]byte(capture), Capture},
		"long body":      {[]byte(`{"url":"/x","t":1,"body":"` + strings.Repeat("x", 1<<20) + `"}`), Capture},
		"body first":     {[]byte(`{"body":"` + strings.Repeat("x", 1<<10) + `","url":"/x","t":1}`), Capture},
		"plan file":      {[]byte("version: 1\nname: join\n"), Unknown},
		"no instant":     {[]byte(`{"url":"/x","status":200,"body":""}`), Unknown},
		"other JSON":     {[]byte(`{"jobs":[]}`), Unknown},
		"future tape":    {[]byte(`{"paratimer_tape":99}`), Tape},
		"history":        {[]byte("Avro-Json\n{\"type\":\"record\"}\n"), History},
		"binary history": {[]byte("Avro-Binary\n{}\n\x00\x01"), History},
		"trace":          {[]byte("{\n  \"priority\" : \"NORMAL\",\n  \"jobID\" : \"job_1_1\",\n  \"mapTasks\" : [ {\n"), Trace},
		"other job":      {[]byte(`{"jobID":"job_1_1"}`), Unknown},
		"empty":          {nil, Unknown},
		"cut-off header": {tape[:12], Unknown},
	} {
		kind, r, err := Sniff(bytes.NewReader(c.file))
		if err != nil || kind != c.want {
			t.Errorf("%s: %v, %v, want %v", name, kind, err, c.want)
			continue
		}
		all, err := io.ReadAll(r)
		if want := c.file; err != nil || name != "zipped tape" && !bytes.Equal(all, want) || name == "zipped tape" && !bytes.Equal(all, tape) {
			t.Errorf("%s: sniffing loses a part of the file: %d bytes, %v", name, len(all), err)
		}
	}
}

// Every real recording is told to be a capture.
func TestSniffRecordings(t *testing.T) {
	dir := os.Getenv("PARATIMER_RECORDINGS")
	if dir == "" {
		dir = "../../../shared/recordings"
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if len(files) == 0 {
		t.Skipf("no recordings in %s", dir)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if kind, _, err := Sniff(f); kind != Capture || err != nil {
			t.Errorf("%s: %v, %v", name, kind, err)
		}
		_ = f.Close()
	}
	t.Logf("%d recordings", len(files))
}
