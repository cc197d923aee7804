// Command paratimer says when a data-parallel query will be done, what it waits for, and how sure that is.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
