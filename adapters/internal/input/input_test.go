package input

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/paratimer/paratimer/dag"
)

func TestLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	disk := errors.New("the disk is gone")
	in := bufio.NewReaderSize(io.MultiReader(strings.NewReader("a\n\n"+long+"\nb\nrest"), iotest.ErrReader(disk)), 16)
	for _, want := range []string{"a", "", long, "b"} {
		if l, err := Line(in, 1<<20+1); string(l) != want || err != nil {
			t.Errorf("%d bytes, %v", len(l), err)
		}
	}
	if l, err := Line(in, 10); string(l) != "rest" || !errors.Is(err, disk) {
		t.Errorf("%q, %v", l, err)
	}
	in.Reset(strings.NewReader("half"))
	if l, err := Line(in, 10); string(l) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", l, err)
	}
	if l, err := Line(in, 10); l != nil || !errors.Is(err, io.EOF) {
		t.Errorf("%q, %v", l, err)
	}
	in.Reset(strings.NewReader(long))
	if _, err := Line(in, 1<<10); !errors.Is(err, ErrLong) {
		t.Error(err)
	}
}

func TestOneLine(t *testing.T) {
	for s, want := range map[string]string{
		"":                           "",
		" \n two \r\nthree":          "two ",
		"an \x1b[31mescape\x07":      "an [31mescape",
		"häuser":                     "häuser",
		"an Umlaut at the end: ä":    "an Umlaut at the end: ä",
		"an Umlaut after the end: ä": "an Umlaut after the end…",
		"not UTF-8: \xff\x80":        "not UTF-8: \ufffd\ufffd",
	} {
		if got := OneLine(s, 23); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestStreak(t *testing.T) {
	t.Parallel()
	var s Streak
	for range 2 {
		for range mostBad {
			if err := s.Bad(); err != nil {
				t.Fatal(err)
			}
		}
		s.Good()
	}
	for range mostBad {
		_ = s.Bad()
	}
	if s.Bad() == nil {
		t.Errorf("%d bad lines in a row are not too many", mostBad+1)
	}
}

func TestNumbers(t *testing.T) {
	for body, want := range map[string]float64{
		`1`: 1, `"1"`: 1, `1.5e3`: 1500, `" 7 "`: 7, `-1`: -1, `""`: math.NaN(), `null`: math.NaN(), `true`: math.NaN(),
		`{}`:  math.NaN(),
		`[1]`: math.NaN(), `"NaN"`: math.NaN(), `"Infinity"`: math.NaN(), `"1e999"`: math.NaN(),
	} {
		var n Optional
		err := json.Unmarshal([]byte(body), &n)
		if got := n.Float(); err != nil || got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %v, %v", body, n.Float(), err)
		}
	}
	huge, negative := Optional{1e300, true}, Optional{-5, true}
	if huge.Count(10) != 10 || negative.Count(10) != 0 || huge.Instant().Known() || negative.Instant().Known() ||
		huge.Ratio() != 1 || negative.Ratio() != 0 {
		t.Error("a number with a wrong length is accepted")
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]dag.Instant{
		`"2026-11-22T15:30:42.878GMT"`: 1_795_361_442_878, `"2026-11-22T15:30:42Z"`: 1_795_361_442_000,
		`1795361442878`: 1_795_361_442_878, `"1795361442878"`: 1_795_361_442_878, `0`: dag.NoInstant, `-1`: dag.NoInstant,
		`null`: dag.NoInstant, `"soon"`: dag.NoInstant, `{}`: dag.NoInstant, `1e300`: dag.NoInstant,
	} {
		var m Moment
		if err := json.Unmarshal([]byte(body), &m); err != nil || m.At() != want {
			t.Errorf("%s: %v, %v, want %v", body, m.At(), err, want)
		}
	}
}
