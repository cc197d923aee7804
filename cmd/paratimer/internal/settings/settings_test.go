package settings

import (
	"flag"
	"testing"
	"time"
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
		{"rm", "http://%zz:p@a", "http://...@a", false},
		{"rm", "http://u:p/q@a:8088#b@c", "http://...@c", false},
		{"webhook", "https://hooks/T0/B0/secret", "", true},
		{"token", "dapi0123", "", true},
		{"exec", "curl -H 'Authorization: x'", "", true},
		{"every", "3s", "3s", false},
	} {
		got := Value{Name: c.name, Values: []string{c.value}}.Concealed()
		if got.Secret != c.secret || !c.secret && got.Values[0] != c.want || c.secret && got.Values != nil {
			t.Errorf("%s %s: %+v", c.name, c.value, got)
		}
	}
	if got := (Value{Name: "webhook"}).Concealed(); got.Secret {
		t.Error("a secret that is not set is reported as set")
	}
}

// TestTable checks that no command has two settings of one name, and that a default is of a known kind.
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

// TestKinds checks what each kind of setting takes, how repeated values add up, and the errors.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  any // perhaps limited
		typed []string
		want  string // the text of the setting, else of the error
	}{
		{Share(0.5), nil, "0.5"},
		{Share(0.5), []string{"0.9"}, "0.9"},
		{Share(0.5), []string{" 5% "}, "0.05"},
		{Share(0.5), []string{"much"}, "it is a number such as 0.9, or a percentage such as 90%"},
		{OneOf{"a", "b"}, nil, "a"},
		{OneOf{"a", "b"}, []string{"b"}, "b"},
		{OneOf{"a", "b"}, []string{"c"}, "it is one of a, b"},
		{Several(""), []string{"1,2", "3"}, "1,2\n3"},
		{time.Second, []string{"1h30m"}, "1h30m"},
		{time.Second, []string{"0"}, "0"},
		{time.Second, []string{"5"}, "add a unit: 5s?"},
		{time.Second, []string{"soon"}, "it is a length of time with its unit, such as 90s, 45m or 1h30m"},
		{1, []string{"1.5"}, "it is a whole number"},
		{uint64(1), []string{"-1"}, "it is a whole number, 0 or more"},
		{0.5, []string{"x"}, "it is a number, such as 0.5"},
		{atLeast(1, 0), nil, "0"},
		{atLeast(1, 0), []string{"0"}, "it is 1 or more"},
		{atLeast(0, 1.0), []string{"NaN"}, "it is 0 or more"},
		{between(1, 10, 2), []string{"11"}, "it is 1 to 10"},
		{between(1, 10, 2), []string{"10"}, "10"},
		{above0(1, Share(0.9)), []string{"101%"}, "it is more than 0, and 1 at most, such as 0.9 or 90%"},
		{above0(1, Share(0.9)), []string{"0"}, "it is more than 0, and 1 at most, such as 0.9 or 90%"},
		{positive(1), []string{"0"}, "it is more than 0, and 1e+12 at most"},
		{atLeast(0.1, time.Minute), []string{"99ms"}, "it is 100ms or more"},
		{false, []string{"true"}, "true"},
		{false, []string{"x"}, "it is true or false"},
	} {
		set := flag.NewFlagSet("", flag.ContinueOnError)
		if err := settingOf(row{"", "x", c.kind, ""}).Apply(set); err != nil {
			t.Fatal(err)
		}
		got := set.Lookup("x").Value
		text := got.String()
		for _, typed := range c.typed {
			if err := got.Set(typed); err != nil {
				text = err.Error()
				break
			}
			text = got.String()
		}
		if text != c.want {
			t.Errorf("%T %q: %q, want %q", c.kind, c.typed, text, c.want)
		}
	}
}
