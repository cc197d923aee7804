package spark

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"
)

// snappyOf packs a text as SnappyOutputStream of snappy-java does.
func snappyOf(text string, block int) string {
	out := []byte(snappyMagic + "\x00\x00\x00\x01\x00\x00\x00\x01")
	for b := range chunks(text, block) {
		packed := s2.EncodeSnappy(nil, b)
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(packed))), packed...)
	}
	return string(out)
}

// lz4Spark packs a text as LZ4BlockOutputStream of lz4-java does.
func lz4Spark(text string, block int) string {
	var out []byte
	add := func(method byte, data []byte, size int) {
		out = append(append(out, lz4Magic...), method)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
		out = binary.LittleEndian.AppendUint32(out, uint32(size))
		out = append(append(out, 0, 0, 0, 0), data...)
	}
	for b := range chunks(text, block) {
		packed := make([]byte, lz4.CompressBlockBound(len(b)))
		if n, _ := lz4.CompressBlock(b, packed, nil); n > 0 && n < len(b) {
			add(0x26, packed[:n], len(b))
		} else {
			add(0x16, b, len(b))
		}
	}
	add(0x16, nil, 0)
	return string(out)
}

func chunks(text string, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(text) > 0 && yield([]byte(text[:min(n, len(text))])) {
			text = text[min(n, len(text)):]
		}
	}
}

// TestUnpack checks that Spark's packings are unpacked, also two streams that follow each other, and that a stream that
// breaks off or is damaged ends in io.ErrUnexpectedEOF after what came before.
func TestUnpack(t *testing.T) {
	t.Parallel()
	text := starts(0, 2000) + strings.Repeat("a", 5000) + strings.Repeat("0123", 1000) + "\n"
	for name, pack := range map[string]func(string, int) string{"snappy": snappyOf, "lz4": lz4Spark} {
		whole := pack(text, 32<<10)
		for what, in := range map[string]string{"one": whole, "two": pack(text[:999], 100) + pack(text[999:], 32<<10)} {
			b, err := unpackLog(iotest.OneByteReader(strings.NewReader(in)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(b); err != nil || string(got) != text {
				t.Errorf("%s, %s: %d bytes of %d, %v", name, what, len(got), len(text), err)
			}
		}
		damaged := whole[:len(whole)/2] + "\xff\xff\xff\xff\xff\xff\xff\xff" + whole[len(whole)/2:]
		for what, in := range map[string]string{"cut": whole[:len(whole)-7], "damaged": damaged} {
			b, err := unpackLog(strings.NewReader(in))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(b)
			if name == "lz4" && what == "cut" { // only the empty block at the end is cut
				continue
			}
			if len(got) == 0 || what == "cut" && !strings.HasPrefix(text, string(got)) ||
				!errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s, %s: %d bytes, %v", name, what, len(got), err)
			}
		}
		disk := errors.New("the disk is gone")
		b, err := unpackLog(io.MultiReader(strings.NewReader(whole[:200]), iotest.ErrReader(disk)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(b); !errors.Is(err, disk) {
			t.Errorf("%s from a disk that fails: %v", name, err)
		}
	}
}

// TestUnpackBounds checks that a head that claims much costs nothing.
func TestUnpackBounds(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"snappy block": snappyMagic + "\x00\x00\x00\x01\x00\x00\x00\x01" + "\x7f\xff\xff\xff" + "x",
		"snappy text":  snappyMagic + "\x00\x00\x00\x01\x00\x00\x00\x01" + "\x00\x00\x00\x06" + "\xff\xff\xff\xff\x0fx",
		"lz4 block":    lz4Magic + "\x26" + "\xff\xff\xff\x7f" + "\xff\x00\x00\x00" + "\x00\x00\x00\x00",
		"lz4 text":     lz4Magic + "\x26" + "\x01\x00\x00\x00" + "\xff\xff\xff\x7f" + "\x00\x00\x00\x00" + "x",
	} {
		b, err := unpackLog(strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(b); len(got) > 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

// FuzzUnpack checks that no packed data makes it panic, or gives more than its blocks may hold.
func FuzzUnpack(f *testing.F) {
	for _, pack := range []func(string, int) string{snappyOf, lz4Spark} {
		f.Add([]byte(pack(starts(0, 3), 300)))
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		if r, err := unpackLog(bytes.NewReader(b)); err == nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(r, 64<<20)) // it may be damaged
		}
	})
}

func TestEvent(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"Event":"SparkListenerJobStart","Job ID":1}`:        "SparkListenerJobStart",
		` { "Event" : "SparkListenerJobStart", "Job ID":`:     "SparkListenerJobStart",
		`{"Job ID":1,"Event":"SparkListenerJobStart"}`:        "SparkListenerJobStart",
		`{"A":{"Event":"x"},"Event":"SparkListenerLogStart"}`: "SparkListenerLogStart",
		`{"Event":"Spark\u004cistenerLogStart"}`:              "SparkListenerLogStart",
		`{"A":{"Event":"SparkListenerLogStart"}}`:             "",
		`{"A":"\"Event\":\"SparkListenerLogStart\""}`:         "",
		`{"Event":5}`:                       "",
		`{"Event":"Spark`:                   "",
		`["Event","SparkListenerLogStart"]`: "",
		``:                                  "",
	} {
		if got := eventName([]byte(line)); got != want {
			t.Errorf("%s is %q, want %q", line, got, want)
		}
	}
}

// TestLikeREST changes keys and no values, whatever quotes and escapes they have.
func TestLikeREST(t *testing.T) {
	t.Parallel()
	for from, to := range restKeys {
		if len(from) != len(to) || strings.Contains(to, " ") {
			t.Errorf("%q becomes %q", from, to)
		}
	}
	for text, want := range map[string]string{
		`{"Stage ID":1,"Stage Name" : "Stage Name"}`:         `{"Stage_ID":1,"name______" : "Stage Name"}`,
		`{"a b":{"JVM GC Time":[{"Total Records Read":1}]}}`: `{"a_b":{"JVM_GC_Time":[{"recordsRead_______":1}]}}`,
		`{"v":"a \" b : c","x \\":"\\","y z":["p q","r s"]}`: `{"v":"a \" b : c","x_\\":"\\","y_z":["p q","r s"]}`,
		`{"breaks off`: `{"breaks off`, `"\`: `"\`, ``: ``,
	} {
		line := []byte(text)
		if likeREST(line); string(line) != want {
			t.Errorf("%s\nbecomes %s", text, line)
		}
	}
}

// TestLZ4Copies checks that a block that repeats what stands before is unpacked.
func TestLZ4Copies(t *testing.T) {
	t.Parallel()
	block := func(size byte, data ...byte) io.Reader {
		head := lz4Magic + "\x26" + string([]byte{byte(len(data)), 0, 0, 0, size, 0, 0, 0}) + "\x00\x00\x00\x00"
		return strings.NewReader(head + string(data))
	}
	got, err := lz4Next(block(10, 0x32, 'a', 'b', 'c', 3, 0, 0x10, '!'))
	if err != nil || string(got) != "abcabcabc!" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := lz4Next(block(9, 0x32, 'a', 'b', 'c', 9, 0)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a copy from before the block: %v", err)
	}
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
