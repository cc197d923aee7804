package mutate

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/internal/testkit/long"
)

// seedScripts is the number of seed scripts for each file. `go test` runs only these. .ci/run sets PARATIMER_LONG for
// fuzzing, and the fuzzer starts with all of them.
var seedScripts = long.Of(8, 20)

// smallBytes is the size up to which a file also has a seed script for each of its keys, which drops the key. Readers
// often fail on missing keys, and random scripts rarely drop a specific one.
const smallBytes = 4 << 10

// dropStep is the index of dropMember in changes.
const dropStep = 7

// patience is the time limit of use for one small file. It is generous, because it should only detect endless loops.
const patience = time.Minute

// Fuzz calls use with the original files and with damaged ones; which is the index of the file.
func Fuzz(f *testing.F, files [][]byte, use func(t *testing.T, which int, file []byte)) {
	f.Helper()
	if len(files) == 0 || len(files) > 256 {
		f.Fatalf("%d files to damage, not 1 to 256", len(files))
	}
	draw := rand.NewChaCha8([32]byte{7})
	for i, file := range files {
		f.Add(byte(i), []byte{})
		for at, c := range file {
			if c == ':' && len(file) <= smallBytes {
				place := (at<<16 + len(file) - 1) / len(file) // the smallest value that Apply maps to this byte
				f.Add(byte(i), []byte{dropStep, byte(place >> 8), byte(place), 0})
			}
		}
		for n := range seedScripts {
			script := make([]byte, stepBytes*(1+n%3))
			_, _ = draw.Read(script)
			script[0] = byte(n)
			f.Add(byte(i), script)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, script []byte) {
		n := int(which) % len(files)
		file := Apply(files[n], script)
		began := time.Now()
		use(t, n, file)
		if took := time.Since(began); took > patience {
			t.Errorf("%v for %d bytes", took, len(file))
		}
	})
}
