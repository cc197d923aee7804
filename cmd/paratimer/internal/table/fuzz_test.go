package table

import (
	"math"
	"strings"
	"testing"
)

// FuzzRead holds that what is read is what a table of runs can be, and that nothing panics.
func FuzzRead(f *testing.F) {
	f.Add("#Cores,Input Fraction, Time (s)\n32,0.125,7.9\n4,0.015,4.7\n", "Cores", "3")
	f.Add("a;b\r\n\"1\";\"2\"\"\"\r\n", "a", "b")
	f.Add("\xef\xbb\xbf\ta\tb\n1\t\t2", "1", "a")
	f.Fuzz(func(t *testing.T, text, number, name string) {
		columns := []Column{{Name: number, Kind: Positive}, {Name: name}}
		got, err := Read(strings.NewReader(text), "f", columns)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%v: where?", err)
			}
			return
		}
		if n := got.Rows(); n == 0 || len(got.Values[0]) != n || len(got.Values[1]) != n {
			t.Fatalf("%d rows, %d and %d values", n, len(got.Values[0]), len(got.Values[1]))
		}
		for i, v := range got.Values[0] {
			if !(v > 0) || math.IsInf(v, 0) || math.IsNaN(got.Values[1][i]) || i > 0 && got.Lines[i] <= got.Lines[i-1] {
				t.Errorf("row %d: %v %v in line %d", i, v, got.Values[1][i], got.Lines[i])
			}
		}
	})
}
