// Command lab writes the pages of docs/ that show measurements, beside the figures of the four papers. Run it in the
// project's folder; the targets of the Makefile do.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// commands are the subcommands. Each writes a page to out; args follow its name.
var commands = []struct {
	name, does string
	run        func(args []string, out io.Writer) error
}{
	{"accuracy", "docs/evidence/accuracy.md: errors on recordings", runAccuracy},
	{"alerts", "docs/evidence/alerts.md: when alerts would have fired on recordings", runAlerts},
	{"fit", "the numbers of the cost law, fitted to finished runs", runFit},
	{"models", "docs/evidence/models.md: Ernest and the queueing models beside what is published", runModels},
	{"nearestfit", "docs/evidence/nearestfit.md: NearestFit beside the paper and an independent program", runNearestFit},
}

func main() {
	if len(os.Args) > 1 {
		for _, c := range commands {
			if c.name == os.Args[1] {
				os.Exit(execute(c.name, c.run))
			}
		}
	}
	fmt.Fprintln(os.Stderr, "usage: lab COMMAND [FLAG]...\n\nCommands write a page to standard output:")
	for _, c := range commands {
		fmt.Fprintf(os.Stderr, "  %-12s%s\n", c.name, c.does)
	}
	os.Exit(2)
}

func execute(name string, command func(args []string, out io.Writer) error) (status int) {
	began := time.Now()
	switch err := command(os.Args[2:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "lab %s: %v\n", name, err)
		return 1
	default:
		fmt.Fprintf(os.Stderr, "lab %s: took %v\n", name, time.Since(began).Round(time.Second))
	}
	return 0
}
