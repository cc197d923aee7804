package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/tape"
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
	err = follow(c, withProfiles(src, profiles), pace{speed: speed}, printed)
	if line := new(tape.LineError); errors.As(err, &line) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}
