package training_test

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func TestTemplate(t *testing.T) {
	// Braces that are none of ours belong to the shell and to awk.
	text := `awk '{print $1}' "${IN}" | job -m {machines} -c {cores} -f {fraction} -p {parts} {machine} {fraction}`
	rows := design([3]float64{3, 0.0000152587890625, 7})
	want := `awk '{print $1}' "${IN}" | job -m 3 -c 6 -f 0.0000152587890625 -p 7 {machine} 0.0000152587890625`
	if got := template(t, text, rows).Fill(rows[0]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTemplateForRows(t *testing.T) {
	bare := []ernest.DesignRow{{Machines: 1, Scale: 0.5}, {Machines: 2, Scale: 0.5}}
	for text, want := range map[string]string{
		" ":                            "the command is empty",
		"job \x00":                     "NUL",
		"job {machines}":               "on the same input each time",
		"job {fraction}":               "on as many machines each time",
		"job {fractions} {machine}":    "on the same input each time",
		"job {fraction} {cores}":       "",
		"job {parts} {machines}":       "",
		"job {fraction} {machines}":    "",
		"echo {fraction}{machines} {}": "",
	} {
		if _, err := training.NewTemplate(text, three()); !hasText(err, want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"job {machines}":         "", // the input is the same in all rows
		"job {machines} {parts}": "has {parts}, but the design has no parts",
		"job {cores}":            "has {cores}, but the design has no cores",
	} {
		if _, err := training.NewTemplate(text, bare); !hasText(err, want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := training.NewTemplate(job, nil); !hasText(err, "the design has no rows") {
		t.Error(err)
	}
}

// hasText reports whether an error has a text in it; "" means no error.
func hasText(err error, want string) bool {
	if err == nil || want == "" {
		return err == nil && want == ""
	}
	return strings.Contains(err.Error(), want)
}
