package ernestmodel

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// A Sum says what a file of the job was when its runs were made: a model of another program or of other inputs is to be
// trained again (§5.1).
type Sum struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// SumOf reads a file for its sum.
func SumOf(file string) (Sum, error) {
	info, err := os.Stat(file) // before it is opened: a pipe would wait for somebody to write
	if err != nil {
		return Sum{}, err
	}
	if !info.Mode().IsRegular() {
		return Sum{}, fmt.Errorf("%s is not a regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return Sum{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return Sum{}, fmt.Errorf("%s: %w", file, err)
	}
	return Sum{file, hex.EncodeToString(h.Sum(nil))}, nil
}

// Changed warns of the files that are not what they were, or cannot be read.
func Changed(sums []Sum) []ernest.Warning {
	var warnings []ernest.Warning
	for _, was := range sums {
		switch is, err := SumOf(was.File); {
		case err != nil:
			warnings = append(warnings, ernest.Warning{
				Code: "unknown_change",
				Text: fmt.Sprintf("whether %s has changed since the model was trained is not known: %v", was.File,
					err),
			})
		case is != was:
			warnings = append(warnings, ernest.Warning{Code: "changed", Text: was.File +
				" has changed since the model was trained: train again"})
		}
	}
	return warnings
}
