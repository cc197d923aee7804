package whatif

import (
	"errors"
	"math"
	"testing"
)

func TestParseSlots(t *testing.T) {
	for text, want := range map[string]Slots{
		"64": {N: 64}, "+2": {Op: Add, N: 2}, "-2": {Op: Add, N: -2}, "2x": {Op: Times, N: 2},
		"0.5x": {Op: Times, N: 0.5}, "inf": {N: math.Inf(1)},
		"map=64": {Which: Maps, N: 64}, "reduce=+1": {Which: Reduces, Op: Add, N: 1},
		"map=inf": {Which: Maps, N: math.Inf(1)},
	} {
		got, err := ParseSlots(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
		if again := got.String(); again != text {
			t.Errorf("%s is written %s", text, again)
		}
	}
	for _, text := range []string{
		"", "x", "0", "-", "+", "0x", "-2x", "1.5", "+0.5", "map=", "node=3", "NaN", "nanx",
		"Inf", "0x10", "1e300", "64,", "map=reduce=3", "1_000",
	} {
		var bad *ParseError
		if s, err := ParseSlots(text); !errors.As(err, &bad) {
			t.Errorf("%q is taken for %+v, %v", text, s, err)
		}
	}
}

func TestParseOthers(t *testing.T) {
	if f, err := ParseFailure("scope-40:r3"); err != nil || f != (Failure{Job: "scope-40", Stage: "reduce", Task: 3}) {
		t.Errorf("%+v, %v", f, err)
	}
	for text, want := range map[string]FailureKind{"task": FailTask, "node": FailNode, "scope-40": FailJob} {
		f, err := ParseFailure(text)
		if err != nil || f.What != want || f.String() != text {
			t.Errorf("%s: %+v, %v", text, f, err)
		}
	}
	for _, text := range []string{"", ":m1", "j:", "j:x1", "j:m", "j:m-1", "j:m99999999999"} {
		if f, err := ParseFailure(text); err == nil {
			t.Errorf("%q is taken for %+v", text, f)
		}
	}
	if p, err := ParsePace("scope=40=1.5"); err != nil || p != (Pace{"scope=40", 1.5}) {
		t.Errorf("%+v, %v", p, err)
	}
	for _, text := range []string{"", "0", "-1", "NaN", "1e9", "=2", "Inf"} {
		if p, err := ParsePace(text); err == nil {
			t.Errorf("pace %q is taken for %+v", text, p)
		}
		if v, err := ParseScale(text); err == nil {
			t.Errorf("scale %q is taken for %v", text, v)
		}
	}
	for _, text := range []string{"-0.1", "1.1", "NaN", ""} {
		if v, err := ParseSlowStart(text); err == nil {
			t.Errorf("slow start %q is taken for %v", text, v)
		}
	}
	if p, err := ParsePolicy("ideal"); err != nil || p != Ideal {
		t.Error(p, err)
	}
	if _, err := ParsePolicy("as is"); err == nil {
		t.Error("as is is no policy to ask for")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"2x", "map=64", "+1", "inf", "j:m3", "node", "a=1.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseSlots(text); err == nil {
			if again, err := ParseSlots(s.String()); err != nil || again != s {
				t.Errorf("%q is %+v, again %+v, %v", text, s, again, err)
			}
		}
		_, _ = ParseFailure(text)
		_, _ = ParsePace(text)
		_, _ = ParseScale(text)
		_, _ = ParseSlowStart(text)
	})
}
