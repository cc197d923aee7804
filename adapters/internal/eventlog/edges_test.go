package eventlog

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// A zipped is a file of a zip.
type zipped struct {
	name, text string
	stored     bool
}

// zipOf packs files as java.util.zip does: the lengths of a deflated file stand behind it.
func zipOf(t testing.TB, files ...zipped) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		var w io.Writer
		var err error
		if f.stored {
			h.Method, h.CompressedSize64, h.UncompressedSize64 = zip.Store, uint64(len(f.text)), uint64(len(f.text))
			w, err = z.CreateRaw(h)
		} else {
			w, err = z.CreateHeader(h)
		}
		if err == nil {
			_, err = io.WriteString(w, f.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// starts are lines of a log in which jobs from to to start; each has a stage that reads the one before.
func starts(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, `{"Event":"SparkListenerJobStart","Job ID":%d,"Stage Infos":[{"Stage ID":%d,"Parent IDs":[],"Details":"x"},{"Stage ID":%d,"Parent IDs":[%d]}]}`+"\n",
			i, 2*i, 2*i+1, 2*i)
		b.WriteString(`{"Event":"SparkListenerTaskEnd","Stage ID":0}` + "\n")
	}
	return b.String()
}

func packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err == nil {
		_, err = io.WriteString(z, text)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// read returns the list that Edges makes of a zip.
func read(t testing.TB, in io.Reader) []Job {
	t.Helper()
	b, err := io.ReadAll(Edges(in))
	if err != nil {
		t.Fatal(err)
	}
	var jobs []Job
	if err := json.Unmarshal(b, &jobs); err != nil {
		t.Fatalf("%v: %.200s", err, b)
	}
	return jobs
}

// TestEdges holds that the edges of all jobs are found however a history server packs a log, and of one that breaks
// off those of the jobs before.
func TestEdges(t *testing.T) {
	t.Parallel()
	const torn = `{"Event":"SparkListenerJobStart","Job ID":9,"Stage In`
	folder := zipped{name: "eventlog_v2_app-1/"}
	all := packed(t, starts(0, 3))
	for name, c := range map[string]struct {
		zip  []byte
		want int
	}{
		"one file":         {zipOf(t, zipped{name: "app-1", text: starts(0, 5)}), 5},
		"with spaces":      {zipOf(t, zipped{name: "app-1", text: strings.NewReplacer(":", ": ", ",", ", ").Replace(starts(0, 5))}), 5},
		"other order":      {zipOf(t, zipped{name: "app-1", text: strings.ReplaceAll(starts(0, 5), `{"Event":"SparkListenerJobStart",`, `{"Properties":{},"Event":"SparkListenerJobStart",`)}), 5},
		"in progress":      {zipOf(t, zipped{name: "app-1.inprogress", text: starts(0, 5) + torn}), 5},
		"rolling":          {zipOf(t, folder, zipped{name: "appstatus"}, zipped{name: "events_1.zstd", text: all}, zipped{name: "events_2", text: starts(3, 5)}), 5},
		"stored":           {zipOf(t, zipped{"a", starts(0, 2), true}, zipped{name: "b", text: starts(2, 4)}), 4},
		"zstd breaks off":  {zipOf(t, zipped{name: "events_1.zstd", text: all[:len(all)-3]}, zipped{name: "events_2", text: starts(3, 4)}), 4},
		"snappy":           {zipOf(t, zipped{name: "a", text: snappyMagic + strings.Repeat("…", 1000)}, zipped{name: "b", text: starts(0, 1)}), 1},
		"the zip ends":     {zipOf(t, zipped{name: "app-1", text: starts(0, 2000)})[:4000], -1},
		"no zip":           {[]byte(starts(0, 5)), 0},
		"nothing":          {nil, 0},
		"a header, no end": {[]byte(ZipMagic + strings.Repeat("\xff", 40)), 0},
	} {
		got := read(t, bytes.NewReader(c.zip))
		if c.want < 0 && (len(got) < 2 || len(got) == 2000) || c.want >= 0 && len(got) != c.want {
			t.Errorf("%s: %d jobs, want %d", name, len(got), c.want)
		}
		for i, j := range got {
			if j.ID.ID() != i && name != "zstd breaks off" || len(j.Stages) != 2 || len(j.Stages[0].Parents) != 0 ||
				len(j.Stages[1].Parents) != 1 || j.Stages[1].Parents[0] != j.Stages[0].ID {
				t.Errorf("%s: job %d is %+v", name, i, j)
			}
		}
	}
}

// A tap counts what is taken from an endless reader.
type tap struct {
	of   []byte
	read int
}

func (r *tap) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], r.of[(r.read+n)%len(r.of):])
	}
	r.read += n
	return n, nil
}

// TestEdgesBounds holds that a hostile zip costs no more than the bounds: one that inflates to much more than it is,
// lines without an end, files without an end.
func TestEdgesBounds(t *testing.T) {
	t.Parallel()
	head := zipOf(t, zipped{name: "a", text: starts(0, 1)})
	head = head[:bytes.Index(head, []byte(zipTrailer))] // a file whose end is to come
	for name, z := range map[string][]byte{
		"a bomb":        zipOf(t, zipped{name: "a", text: starts(0, 2) + strings.Repeat("x", 2*mostText)}),
		"a packed bomb": zipOf(t, zipped{name: "a", text: packed(t, starts(0, 2)+strings.Repeat("x", 2*mostText))}),
		"an event without an end": zipOf(t, zipped{name: "a", text: starts(0, 2) + `{"Event":"SparkListenerJobStart"` + strings.Repeat("x", mostStart) +
			"\n" + strings.Repeat("\n", 2*mostText)}),
	} {
		if got := read(t, bytes.NewReader(z)); len(got) != 2 {
			t.Errorf("%s: %d jobs, want 2", name, len(got))
		}
	}
	for name, endless := range map[string]*tap{
		"files without an end": {of: append(head, []byte(zipTrailer+strings.Repeat("\x00", 12))...)},
		"the same bytes":       {of: []byte(ZipMagic + "\x14\x00\x08\x00\x08\x00" + strings.Repeat("\x00", 20) + "\x00")},
	} {
		read(t, endless)
		if endless.read > mostZip+ReadSize {
			t.Errorf("%s: %d bytes are read of a zip", name, endless.read)
		}
	}
}

// FuzzEdges holds that Edges makes a list of JSON of whatever it is given.
func FuzzEdges(f *testing.F) {
	f.Add(zipOf(f, zipped{name: "app-1", text: starts(0, 3)}))
	f.Add(zipOf(f, zipped{"a", starts(0, 1), true}, zipped{name: "b", text: packed(f, starts(1, 2))}))
	f.Fuzz(func(t *testing.T, b []byte) { read(t, bytes.NewReader(b)) })
}
