package follow

import (
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
)

func TestParseBattery(t *testing.T) {
	t.Parallel()
	own := len(estimators.Scenarios())
	for _, c := range []struct {
		text          string
		shown, others int
		has           string
	}{
		{"own", own, 0, "standard"},
		{"all", own, len(paper.Others()), "pig"},
		{"standard", 1, 0, "standard"},
		{"skew_low, one_failure", 3, 0, "skew_low"},
		{"pig", 1, 1, "pig"},
		{"own,pig", own, 1, "pig"},
		{"one_failure,one_failure", 2, 0, "one_failure"},
	} {
		b, err := ParseBattery(c.text)
		if err != nil {
			t.Fatal(err)
		}
		names := slices.Clone(b.shown)
		for _, s := range b.others {
			names = append(names, s.Name)
		}
		if len(b.shown) != c.shown || len(b.others) != c.others || b.shown[0] != "standard" ||
			!slices.Contains(names, c.has) {
			t.Errorf("%s: %v", c.text, names)
		}
	}
	if _, err := ParseBattery("Standard"); err == nil || !strings.HasSuffix(err.Error(), "did you mean standard?") {
		t.Errorf("Standard: %v", err)
	}
	for _, text := range []string{"", "one_failure,", "none"} {
		if _, err := ParseBattery(text); err == nil || !strings.Contains(err.Error(), "three_failures") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
