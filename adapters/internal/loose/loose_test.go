package loose

import (
	"encoding/json"
	"math"
	"testing"
)

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
		t.Error("a number that lies gets through")
	}
}
