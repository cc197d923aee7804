package serve

import "testing"

func TestAddress(t *testing.T) {
	for typed, want := range map[string]struct {
		address string
		exposed bool
	}{
		"9188":             {"127.0.0.1:9188", false},
		":9188":            {"127.0.0.1:9188", false},
		"localhost:9188":   {"localhost:9188", false},
		"127.0.0.2:9188":   {"127.0.0.2:9188", false},
		"[::1]:9188":       {"[::1]:9188", false},
		"0.0.0.0:9188":     {"0.0.0.0:9188", true},
		"[::]:9188":        {"[::]:9188", true},
		"gateway:9188":     {"gateway:9188", true},
		"10.1.2.3:9188":    {"10.1.2.3:9188", true},
		"localhost.x:9188": {"localhost.x:9188", true},
	} {
		address, exposed, err := Address(typed)
		if err != nil || address != want.address || exposed != want.exposed {
			t.Errorf("%s: %s, exposed %v, %v; want %s, %v", typed, address, exposed, err, want.address, want.exposed)
		}
	}
	for _, typed := range []string{"", ":", "x", ":http-alt-x", ":99999", ":-1", "1:2:3", "http://localhost:9188"} {
		if address, _, err := Address(typed); err == nil {
			t.Errorf("%q is taken as %s", typed, address)
		}
	}
}
