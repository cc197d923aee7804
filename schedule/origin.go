package schedule

import "fmt"

var originNames = [...]string{"observed", "profile", "assumed", "unknown"}

func (o Origin) String() string {
	if int(o) < len(originNames) {
		return originNames[o]
	}
	return fmt.Sprintf("unknown(%d)", o)
}

// MarshalText gives the name used in frames and plan files.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the name used in frames and plan files.
func (o *Origin) UnmarshalText(b []byte) error {
	for i, n := range originNames {
		if n == string(b) {
			*o = Origin(i)
			return nil
		}
	}
	return fmt.Errorf("schedule: %q is not an origin (one of %v)", b, originNames)
}
