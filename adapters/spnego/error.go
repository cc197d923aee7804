package spnego

import "errors"

// An Error says why nobody could be logged in, in words for people.
type Error struct {
	Text string // what happened, where
	Hint string // what to do
	Err  error  // the cause, or nil; its text is not in Text
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// Advice says what to do about it.
func (e *Error) Advice() string { return e.Hint }

// errAgain marks a cause that is not asked about again for a while: a KDC may lock an account after some wrong keys.
var errAgain = errors.New("asked before")
