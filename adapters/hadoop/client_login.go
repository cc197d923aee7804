package hadoop

import "errors"

// advised returns the hint of an error that has one of its own, such as a login's.
func advised(err error) string {
	var e interface{ Advice() string }
	if errors.As(err, &e) {
		return e.Advice()
	}
	return ""
}
