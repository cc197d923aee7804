package training_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func TestReadDesign(t *testing.T) {
	rows, total, err := training.ReadDesign(strings.NewReader(`{"objective":1,"total_parts":40,"rows":[
		{"machines":8,"cores":32,"scale":0.12,"parts":5},{"machines":8,"scale":0.121,"parts":5},{"machines":1,"scale":0.025}]}`))
	want := []ernest.DesignRow{
		{Machines: 8, Cores: 32, Scale: 0.12, Parts: 5},
		{Machines: 8, Scale: 0.121, Parts: 5},
		{Machines: 1, Scale: 0.025},
	}
	if err != nil || total != 40 || !slices.Equal(rows, want) {
		t.Errorf("%+v of %d, %v", rows, total, err)
	}
	// Two candidates that are as many parts are one run.
	whole := []ernest.DesignRow{{Machines: 8, Cores: 32, Scale: 0.125, Parts: 5}, {Machines: 1, Scale: 0.025}}
	if got := training.Distinct(rows, "job {parts}", total); !slices.Equal(got, whole) {
		t.Errorf("in parts: %+v", got)
	}
	if got := training.Distinct(rows, "job {parts}", 0); !slices.Equal(got, want) {
		t.Errorf("parts of something unknown: %+v", got)
	}
	for text, want := range map[string]string{
		"":                                    "it is not a design",
		"{}":                                  "it has 0 rows",
		`{"rows":[{"machines":"x"}]}`:         "it is not a design",
		`{"rows":[{"machines":0,"scale":1}]}`: "row 1: 0 machines",
		`{"rows":[{"machines":1,"scale":1},{"machines":1.5,"scale":1}]}`: "it is not a design",
		`{"rows":[{"machines":1,"scale":0}]}`:                            "row 1: 1 machines, scale 0",
		`{"rows":[{"machines":1e300,"scale":1}]}`:                        "it is not a design",
		`{"rows":[{"machines":1,"scale":1,"parts":-1}]}`:                 "row 1: 1 machines, scale 1, -1 parts",
		`{"total_parts":-1,"rows":[{"machines":1,"scale":1}]}`:           "rows of -1 parts",
		`{"rows":[` + strings.Repeat(`{},`, 10_000) + `{}]}`:             "it has 10001 rows",
	} {
		if _, _, err := training.ReadDesign(strings.NewReader(text)); !hasText(err, want) {
			t.Errorf("%.50s: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadDesign(f *testing.F) {
	f.Add([]byte(`{"rows":[{"machines":1,"scale":0.5,"parts":3,"cores":2}],"total_parts":6}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, total, err := training.ReadDesign(strings.NewReader(string(b)))
		if err != nil {
			return
		}
		for _, r := range training.Distinct(rows, "{parts}", total) {
			if r.Machines < 1 || !(r.Scale > 0) || r.Parts < 0 || r.Cores < 0 {
				t.Errorf("%+v", r)
			}
		}
	})
}
