package command

import (
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// Zone returns the reader's time zone: UTC with --utc, else that of TZ, else the machine's.
func Zone(c *cli.Context) *time.Location {
	if c.Bool("utc") {
		return time.UTC
	}
	if name := strings.TrimPrefix(Getenv(c)("TZ"), ":"); name != "" {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone
		}
	}
	return time.Local
}
