package command

import "testing"

func TestLength(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"45m": "45m0s", " 1h30m ": "1h30m0s",
		"10": "a unit is missing: 10m?", "1.5": "a unit is missing: 1.5m?", "soon": errNoLength.Error(),
		"": errNoLength.Error(),
	} {
		d, err := Length(text)
		got := d.String()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("Length(%q) = %s, want %s", text, got, want)
		}
	}
}
