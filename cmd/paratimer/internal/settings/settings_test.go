package settings

import (
	"flag"
	"testing"
)

func TestConcealed(t *testing.T) {
	for _, c := range []struct {
		name, value, want string
		secret            bool
	}{
		{"rm", "http://a:8088", "http://a:8088", false},
		{"rm", "u:p@a:8088,b,http://u:p@c/x", "...@a:8088,b,http://...@c/x", false},
		{"principal", "alice@X", "alice@X", false},
		{"rm", "http://u:p@a:8088/x?y=z#f,https://b?k", "http://...@a:8088/x?...,https://b?...", false},
		{"rm", "http://%zz:p@a", "(an address that cannot be read)", false},
		{"webhook", "https://hooks/T0/B0/secret", "", true},
		{"exec", "curl -H 'Authorization: x'", "", true},
		{"every", "3s", "3s", false},
	} {
		got := Value{Name: c.name, Values: []string{c.value}}.Concealed()
		if got.Secret != c.secret || !c.secret && got.Values[0] != c.want || c.secret && got.Values != nil {
			t.Errorf("%s %s: %+v", c.name, c.value, got)
		}
	}
	if got := (Value{Name: "webhook"}).Concealed(); got.Secret {
		t.Error("a secret that is not set is said to be")
	}
}

// TestTable holds that no command has two settings of one name, and that a default is of a known kind.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, s := range all {
		if err := s.Apply(flag.NewFlagSet("", flag.ContinueOnError)); err != nil || s.Help == "" {
			t.Errorf("%s: %v", s.Name, err)
		}
		for _, command := range append(s.Commands, "") {
			for _, other := range Of(command) {
				if other != s && other.Name == s.Name && (command != "" || s.Commands == nil) {
					t.Errorf("%s has two settings %s", command, s.Name)
				}
			}
		}
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"0.9": 0.9, "90%": 0.9, " 5% ": 0.05, "1": 1} {
		s := Share{0.5}
		if err := s.Set(text); err != nil || s.Value != want {
			t.Errorf("Set(%q) = %v, %v; want %v", text, s.Value, err, want)
		}
	}
	if err := new(Share).Set("much"); err == nil {
		t.Error("much is read as a number")
	}
}
