package main

import (
	"github.com/urfave/cli/v2"
)

// replay plays a recording: the same frames that a live watch printed.
func replay(c *cli.Context) (err error) {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	profiles, err := readProfiles(c)
	if err != nil {
		return err
	}
	speed, err := speedOf(c)
	if err != nil {
		return err
	}
	path := c.Args().First()
	src, file, err := openRecording(path, c.String("workflow"), c.Duration("every"))
	if err != nil {
		return err
	}
	defer closing(file, path, &err)
	printed, err := printing(c)
	if err != nil {
		return err
	}
	return follow(c, withProfiles(src, profiles), pace{speed: speed}, printed)
}
