// Package examples holds plans to start from. The program plays the first one itself: see `paratimer demo`.
package examples

import _ "embed"

// Paper is the query of the ParaTimer paper (section 4.2) as a plan file.
//
//go:embed paper-4.2GB.yaml
var Paper []byte
