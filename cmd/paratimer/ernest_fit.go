package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestview"
)

func ernestFitFlags() []cli.Flag {
	return append(append(columnFlags(), modelFlags()...),
		&cli.StringFlag{Name: "iterations", EnvVars: env("iterations"), Usage: "runs are of an iterative job; how many iterations is in `COLUMN`"},
		atFlag(), forceFlag(),
		&cli.StringFlag{Name: "save", EnvVars: env("save"), Usage: "write the model to `FILE`, for predict and choose"},
		&cli.StringSliceFlag{Name: "of", EnvVars: env("of"), Usage: "the runs are of the program or input in `FILE`: a saved model knows it by its SHA-256, and predict says when it has changed; may be repeated"},
		outputFlag("text", "json"),
	)
}

// ernestFit fits a model to a table of runs.
func ernestFit(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	points, err := pointsOf(c, c.String("iterations") != "")
	if err != nil {
		return err
	}
	in, name, err := openInput(c, c.Args().First())
	if err != nil {
		return err
	}
	defer in.Close()
	m, err := fitTable(c, in, name, columnsOf(c))
	if err != nil {
		return err
	}
	for _, file := range c.StringSlice("of") {
		sum, err := ernestmodel.SumOf(file)
		if err != nil {
			return usage("--of: %w", err)
		}
		m.Of = append(m.Of, sum)
	}
	shown := ernestview.Fitted{Name: name, Model: m, Points: points, Force: c.Bool("force")}
	if path := c.String("save"); path != "" {
		if err := writeFile(path, m.Write); err != nil {
			return usage("--save: %w", err)
		}
		shown.Next = "paratimer ernest predict " + quoted(path)
	} else if len(points) == 0 {
		shown.Next = "--at MACHINES,SCALE predicts a run, --save FILE keeps the model"
	}
	return printed(c, &shown)
}

// A printable has a form for people and one for programs.
type printable interface {
	Text(io.Writer) error
	JSON(io.Writer) error
}

// printed writes what --output asks for.
func printed(c *cli.Context, v printable) error {
	if c.String("output") == "json" {
		return v.JSON(c.App.Writer)
	}
	return v.Text(c.App.Writer)
}
