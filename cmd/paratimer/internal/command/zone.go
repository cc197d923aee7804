package command

import (
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// UTCFlag returns the flag of the reader's time zone.
func UTCFlag() cli.Flag {
	return &cli.BoolFlag{
		Name: "utc", EnvVars: Env("utc"),
		Usage: "read and show times of day in UTC, not in the local zone",
	}
}

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
