package mutate

import (
	"math/rand/v2"
	"testing"
	"time"
)

// seedScripts is how many scripts each file has without a fuzzer: `go test` runs them as they are.
const seedScripts = 60

// patience is how long use may take for one small file. It is generous: what it finds takes for ever.
const patience = time.Minute

// Fuzz feeds use with the files as they are and as the fuzzer damages them; which is the index of the file.
func Fuzz(f *testing.F, files [][]byte, use func(t *testing.T, which int, file []byte)) {
	f.Helper()
	if len(files) == 0 || len(files) > 256 {
		f.Fatalf("%d files to damage, not 1 to 256", len(files))
	}
	draw := rand.NewChaCha8([32]byte{7})
	for i := range files {
		f.Add(byte(i), []byte{})
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
