package history

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func history(id string) string {
	return `Avro-Json
{}

{"type":"JOB_SUBMITTED","event":{"org.apache.hadoop.mapreduce.jobhistory.JobSubmitted":{"jobid":"` + id + `","jobName":"x","userName":"u","submitTime":1700000001000}}}

{"type":"JOB_FINISHED","event":{"org.apache.hadoop.mapreduce.jobhistory.JobFinished":{"jobid":"` + id + `","finishTime":1700000009000}}}
`
}

const properties = `<configuration><property><name>mapreduce.workflow.id</name><value>w</value></property></configuration>`

func zip(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

func folder() fstest.MapFS {
	return fstest.MapFS{
		"done/a/job_1700000000000_0001-1-u-x.jhist": {Data: []byte(history("job_1700000000000_0001"))},
		"done/a/job_1700000000000_0001_conf.xml":    {Data: []byte(properties)},
		"done/b/job_1700000000000_0002.jhist.gz":    {Data: zip(history("job_1700000000000_0002"))},
		"done/b/job_1700000000000_0002_conf.xml.gz": {Data: zip(properties)},
		"done/b/trace.json": {Data: []byte(
			`{"jobID":"job_201009241532_0001","submitTime":1285322645148,"mapTasks":[]}`)},
		"done/c/job_1700000000000_0003.jhist":        {Data: []byte("Avro-Json\n")},
		"done/c/job_1700000000000_0002_conf.xml.crc": {Data: []byte("x")},
		"done/c/notes.txt":                           {Data: []byte("x")},
		"done/c/package.json":                        {Data: []byte(`{"name":"x"}`)},
	}
}

func TestFolder(t *testing.T) {
	found, err := ReadFiles(context.Background(), folder(), "done")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []string
	for _, j := range found.Jobs {
		jobs = append(jobs, fmt.Sprint(j.ID, " ", j.Settings.Workflow, " ", j.Configured))
	}
	if got := strings.Join(jobs,
		", "); got != "job_1700000000000_0001 w true, job_1700000000000_0002 w true, job_201009241532_0001  false" {
		t.Errorf("the files hold %s", got)
	}
	if len(found.Skipped) != 2 || found.Skipped[0].Path != "done/c/job_1700000000000_0003.jhist" ||
		found.Skipped[1].Path != "done/c/package.json" ||
		!strings.Contains(found.Skipped[0].Why, "the schema in line 2 is missing") {
		t.Errorf("left out: %v", found.Skipped)
	}
	if w := Group(found.Jobs); len(w) != 2 || len(w[1].Jobs) != 2 {
		t.Errorf("%d workflows", len(w))
	}
}

// TestFile reads one file, and the configuration beside it. A bad file is an error if the user named it.
func TestFile(t *testing.T) {
	found, err := ReadFiles(context.Background(), folder(), "done/a/job_1700000000000_0001-1-u-x.jhist")
	if err != nil || len(found.Jobs) != 1 || !found.Jobs[0].Configured {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := ReadFiles(context.Background(), folder(), "done/c/notes.txt"); !errors.Is(err, ErrOther) {
		t.Errorf("a note is %v", err)
	}
	if _, err := ReadFiles(context.Background(), folder(), "done/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: got %v, want fs.ErrNotExist", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReadFiles(ctx, folder(), "done"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestPipe: what is no file is left out, and not opened: a pipe without a writer would be waited for.
func TestPipe(t *testing.T) {
	in := fstest.MapFS{"done/a.jhist": {Mode: fs.ModeNamedPipe | 0o644}}
	f, err := ReadFiles(t.Context(), in, "done")
	if err != nil || len(f.Skipped) != 1 || f.Skipped[0].Why != "it is not a file" {
		t.Errorf("%+v, %v", f, err)
	}
}
