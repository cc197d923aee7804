package input

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// packings are the ways in which a text may come.
func packings(t testing.TB, text string) map[string][]byte {
	t.Helper()
	var g, z, l, f bytes.Buffer
	gw := gzip.NewWriter(&g)
	zw, err := zstd.NewWriter(&z)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{gw, zw, lz4.NewWriter(&l), s2.NewWriter(&f, s2.WriterSnappyCompat())} {
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return map[string][]byte{
		"plain": []byte(text), "gzip": g.Bytes(), "zstd": z.Bytes(), "lz4": l.Bytes(),
		"snappy": f.Bytes(),
	}
}

// noise is a text that does not pack well, so that damage hits it.
func noise() string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 200_000)
	for i := range b {
		b[i] = 'a' + byte(r.IntN(26))
	}
	return string(b)
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "abc", noise()} {
		for name, packed := range packings(t, text) {
			r, err := Unpack(bytes.NewReader(packed), 1<<12)
			if err != nil {
				t.Fatalf("%s of %d bytes: %v", name, len(text), err)
			}
			got, err := io.ReadAll(r)
			if err != nil || string(got) != text {
				t.Errorf("%s of %d bytes: %d bytes, %v", name, len(text), len(got), err)
			}
		}
	}
}

// TestDamage: Unpack reports damaged data and a failing disk as different errors.
func TestDamage(t *testing.T) {
	t.Parallel()
	disk := errors.New("the disk is gone")
	for name, packed := range packings(t, noise()) {
		if name == "plain" {
			continue
		}
		half := packed[:len(packed)/2]
		flipped := bytes.Clone(packed)
		for i := len(flipped) / 2; i < len(flipped)/2+100; i++ {
			flipped[i] ^= 0xff
		}
		for what, c := range map[string]struct {
			in   io.Reader
			want error
		}{
			"half":    {bytes.NewReader(half), io.ErrUnexpectedEOF},
			"flipped": {bytes.NewReader(flipped), io.ErrUnexpectedEOF},
			"disk":    {io.MultiReader(bytes.NewReader(half), iotest.ErrReader(disk)), disk},
		} {
			r, err := Unpack(c.in, 1<<12)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, r); !errors.Is(err, c.want) {
				t.Errorf("%s, %s: %v, want %v", name, what, err, c.want)
			}
		}
	}
}

// A file that asks for a window of gigabytes is refused before it has them.
func TestWindow(t *testing.T) {
	t.Parallel()
	const gigabytes = "\x28\xb5\x2f\xfd\x00\xa8" // a frame's head: its window is 2 GB
	r, err := Unpack(strings.NewReader(gigabytes+strings.Repeat("x", 100)), 1<<12)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, r)
	if err == nil || errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "zstd -d --long=31") {
		t.Errorf("%v: it is no damage, and can be unpacked first", err)
	}
}

// TestLargeWindow reads what zstd --long=27 packs: a window of 128 MB.
func TestLargeWindow(t *testing.T) {
	t.Parallel()
	// A frame's head without a size, the window's exponent 17 (2^(10+17) bytes), then one raw and last block.
	const frame = "\x28\xb5\x2f\xfd\x00\x88" + "\x29\x00\x00" + "hello"
	r, err := Unpack(strings.NewReader(frame), 1<<12)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestIsEventLog(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"Event": "SparkListenerLogStart", "Spark Version": "3.5.1"}` + "\n":        true,
		"\r\n\n" + `{"Event":"SparkListenerEnvironmentUpdate","JVM`:                  true,
		`{"Event":"DBCEventLoggingListenerMetadata","Spark Version":"3.4.1"}`:        true,
		`{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd"}`: true,
		`half a line"}` + "\n" + `{"Event":"SparkListenerJobEnd","Job ID":0}`:        true,
		`{"Spark Version":"3.5.1","Event":"SparkListenerLogStart"}`:                  true,
		`A line is {"Event": "SparkListenerLogStart"}.`:                              false,
		`{"Event":"page_view","user":1}`:                                             false,
		`{"paratimer_tape":1}`:                                                       false,
		"":                                                                           false, "version: 1\nname: join\n": false,
		strings.Repeat("\n", 50) + `{"Event":"SparkListenerLogStart"}`: true,
	} {
		if got := IsEventLog([]byte(text)); got != want {
			t.Errorf("%.80q: %v", text, got)
		}
	}
}
