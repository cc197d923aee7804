package whatif

import (
	"flag"
	"math"
	"strings"
	"testing"
)

func TestParseSlots(t *testing.T) {
	for text, want := range map[string]Slots{
		"64": {N: 64}, "+2": {Op: Add, N: 2}, "-2": {Op: Add, N: -2}, "2x": {Op: Times, N: 2},
		"0.5x": {Op: Times, N: 0.5}, "inf": {N: math.Inf(1)},
		"map=64": {Which: Maps, N: 64}, "reduce=+1": {Which: Reduces, Op: Add, N: 1},
		"map=inf": {Which: Maps, N: math.Inf(1)},
	} {
		got, err := Parse("slots", text)
		if err != nil || len(got.Slots) != 1 || got.Slots[0] != want {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
		if again := got.String(); again != "slots "+text {
			t.Errorf("%s is written %s", text, again)
		}
	}
	for _, text := range []string{
		"", "x", "0", "-", "+", "0x", "-2x", "1.5", "+0.5", "map=", "node=3", "NaN", "nanx",
		"Inf", "0x10", "1e300", "64,", "map=reduce=3", "1_000",
	} {
		if s, err := Parse("slots", text); err == nil {
			t.Errorf("%q: got %+v, %v, want an error", text, s, err)
		}
	}
}

func TestParseOthers(t *testing.T) {
	want := Failure{Job: "scope-40", Stage: "reduce", Task: 3}
	if c, err := Parse("fail", "scope-40:r3"); err != nil || c.Failures[0] != want {
		t.Errorf("%+v, %v", c, err)
	}
	for text, want := range map[string]FailureKind{"task": FailTask, "node": FailNode, "scope-40": FailJob} {
		c, err := Parse("fail", text)
		if err != nil || c.Failures[0].What != want || c.String() != "fail "+text {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
	}
	if c, err := Parse("pace", "scope=40=1.5"); err != nil || c.Pace[0] != (Pace{"scope=40", 1.5}) {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := Parse("policy", "ideal"); err != nil || !c.Ideal {
		t.Error(c, err)
	}
	if c, err := Parse("skew", "none"); err != nil || !c.Even {
		t.Error(c, err)
	}
	if c, err := Parse("slow start", "0.05"); err != nil || *c.SlowStart != 0.05 {
		t.Error(c, err)
	}
	for kind, texts := range map[string][]string{
		"fail":       {"", ":m1", "j:", "j:x1", "j:m", "j:m-1", "j:m99999999999"},
		"pace":       {"", "0", "-1", "NaN", "1e9", "=2", "Inf"},
		"scale":      {"", "0", "-1", "NaN", "1e9", "=2", "Inf"},
		"slow start": {"-0.1", "1.1", "NaN", ""},
		"policy":     {"as is", "fifo", ""},
		"skew":       {"", "as-is"},
	} {
		for _, text := range texts {
			if c, err := Parse(kind, text); err == nil {
				t.Errorf("%s %q: got %s", kind, text, c)
			}
		}
	}
}

// FuzzParse checks that a change that can be parsed is written so that it is parsed as the same again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"2x", "map=64", "+1", "inf", "j:m3", "node", "a=1.5", "ideal", "0.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for kind := range wants {
			c, err := Parse(kind, text)
			if err != nil {
				continue
			}
			written := strings.TrimPrefix(c.String(), kind+" ")
			if again, err := Parse(kind, written); err != nil || again.String() != c.String() {
				t.Errorf("%s %q is %s, again %s, %v", kind, text, c, again, err)
			}
		}
	})
}

// The drawn cases are the same in every run, so that a change is judged by them and not by luck.
// -rapid.seed=0 draws others.
func init() { _ = flag.Set("rapid.seed", "20261121") }
