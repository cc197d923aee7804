package units

import (
	"encoding/json"
	"math"
	"testing"
)

func TestFloat(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal([]Float{0.1, 1e21, Float(math.NaN()), Float(math.Inf(-1))})
	if want := "[0.1,1e+21,null,null]"; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
