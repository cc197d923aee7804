package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// build is what `paratimer version` says.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func version(c *cli.Context) error {
	if err := arguments(c, 0, 0); c.Command.Name == "version" && err != nil {
		return err
	}
	b := thisBuild()
	if c.String("output") == "json" {
		return json.NewEncoder(c.App.Writer).Encode(b)
	}
	_, err := fmt.Fprintf(c.App.Writer, "paratimer %s (%s, %s)\n", b.Version, b.Go, b.Platform)
	return err
}

// thisBuild is what this program is, as far as it was built with that knowledge.
func thisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Revision = s.Value
			}
		}
	}
	return b
}
