// Command paratimer predicts when a data-parallel query will be done, shows what it waits for, and how sure that is.
package main

import (
	"os"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
)

func main() {
	os.Exit(program.Main())
}
