// Package damaged holds that no command panics on damaged input, and that secrets stay in their place.
package damaged
