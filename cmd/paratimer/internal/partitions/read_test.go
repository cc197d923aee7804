package partitions

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/estimators/ernest"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCount: rows and entries of each kind of text.
func TestCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]float64{
		"":                              {0, 0},
		"\n \n\r\n":                     {0, 0},
		"1 0 2.5\n0 0 0\n-1e-3 0e5 .0":  {3, 3},
		"1,0,0.00,7\r\n,,3,\r\n":        {2, 3},
		"a;b;0\nc;;-0.0\n":              {2, 3},
		"+1 3:0.5 7:0 12:1e-3\n-1 9:2":  {2, 3}, // the label is no entry
		"0 1:1\n1 1:1\n":                {2, 2},
		"1:2 2:3 # 4:5 words\n":         {1, 2},
		"# 1 2 3\n 1 2 # 3\n":           {1, 4},
		"to be or not\n#tag to be\nbe ": {2, 5},
		"12:x 1: :1 + . -\n":            {1, 6},
	} {
		got, err := Read(folder(t, map[string]string{"f": text}))
		if err != nil || got.All[0].Bytes != float64(len(text)) || got.All[0].Rows != want[0] ||
			got.All[0].Entries != want[1] {
			t.Errorf("%q: %+v, %v; want %v", text, got, err, want)
		}
	}
}

// libsvm writes rows of known density until there are so many bytes, and says how many rows and entries they have.
func libsvm(r *rand.Rand, size int, density float64, most int) (text []byte, rows, entries int) {
	var b bytes.Buffer
	for b.Len() < size {
		fmt.Fprintf(&b, "%d", r.IntN(2))
		for i := range most {
			if r.Float64() < density {
				fmt.Fprintf(&b, " %d:%.3f", i+1, 0.001+r.Float64())
				entries++
			} else if r.IntN(10) == 0 {
				fmt.Fprintf(&b, " %d:0", i+1)
			}
		}
		b.WriteByte('\n')
		rows++
	}
	return b.Bytes(), rows, entries
}

// TestPieces: files that are larger than what is read of each are estimated to a few per cent, whether their rows are
// short, or longer than a piece, or sorted by density.
func TestPieces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for name, make := range map[string]func() ([]byte, int, int){
		"short": func() ([]byte, int, int) { return libsvm(r, 2<<20, 0.3, 40) },
		"long":  func() ([]byte, int, int) { return libsvm(r, 2<<20, 0.3, 20_000) },
		"sorted": func() ([]byte, int, int) {
			a, rows, entries := libsvm(r, 1<<20, 0.1, 40)
			b, more, moreEntries := libsvm(r, 1<<20, 0.7, 40)
			return append(a, b...), rows + more, entries + moreEntries
		},
	} {
		text, rows, entries := make()
		path := filepath.Join(folder(t, map[string]string{"f": string(text)}), "f")
		var d Folder
		const buffer = 256 << 10
		if err := d.add(path, bytes.Repeat([]byte{0}, buffer)); err != nil {
			t.Fatal(err)
		}
		p := d.All[0]
		offRows, offEntries := p.Rows/float64(rows)-1, p.Entries/float64(entries)-1
		t.Logf("%s: %d bytes, %.1f %% read, rows off by %.2f %%, entries by %.2f %%", name, len(text),
			100*float64(d.Read)/float64(len(text)), 100*offRows, 100*offEntries)
		if d.Read > buffer || d.Sampled != 1 || p.Bytes != float64(len(text)) || math.Abs(offRows) > 0.03 &&
			name != "long" || math.Abs(offEntries) > 0.03 {
			t.Errorf("%s: %+v, want %d rows, %d entries", name, d, rows, entries)
		}
	}
}

// TestReadFolder: which files are partitions, and how much is read of them.
func TestReadFolder(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"part-1": "1 2\n", "part-0": "1\n2\n3", "_SUCCESS": "", ".part-0.crc": "x"})
	if err := os.Mkdir(filepath.Join(dir, "_logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []ernest.Partition{{Bytes: 5, Rows: 3, Entries: 3}, {Bytes: 4, Rows: 1, Entries: 2}}
	if len(got.Files) != 2 || filepath.Base(got.Files[0]) != "part-0" || got.All[0] != want[0] ||
		got.All[1] != want[1] || got.Read != 9 || got.Sampled != 0 {
		t.Errorf("%+v", got)
	}
}

// TestReadErrors: Read refuses whatever is not a folder of text files.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	linked := folder(t, nil)
	if err := os.Symlink(t.TempDir(), filepath.Join(linked, "link")); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		folder(t, nil):                             "has no files",
		filepath.Join(folder(t, nil), "none"):      "no such file",
		folder(t, map[string]string{"a": "1\x00"}): "a is not text, but compressed or binary (byte 1 is 0)",
		linked: "is a link to a folder",
		folder(t, map[string]string{"a": strings.Repeat("x", mostOfFile+1)}): "no field ends within",
	} {
		if got, err := Read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v, %v, want %s", got, err, want)
		}
	}
}

// FuzzCount: text is counted without a panic, and pieces of it too.
func FuzzCount(f *testing.F) {
	f.Add("1 2:3 4:0\n# x\n,,0e,1:", 3)
	f.Fuzz(func(t *testing.T, text string, at int) {
		var c counter
		c.count([]byte(text), at%2 == 0)
		c.endRow()
		if lines := strings.Count(text, "\n") + 1; c.rows < 0 || c.rows > lines || c.entries < 0 ||
			c.entries > len(text) {
			t.Errorf("%q: %+v", text, c)
		}
		if piece := whole([]byte(text), at%2 == 0); len(piece) > len(text) {
			t.Errorf("%q of %q", piece, text)
		}
	})
}
