package input

import (
	"context"
	"fmt"
	"io/fs"
)

// EachFile calls visit for each file in a folder and its subfolders, most at most, until it returns an error. It calls
// skip for each folder that cannot be read.
func EachFile(ctx context.Context, in fs.FS, folder string, most int, skip func(name string, err error),
	visit func(name string, d fs.DirEntry) error,
) error {
	files := 0
	return fs.WalkDir(in, folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && d != nil && d.IsDir():
			skip(name, err)
			return fs.SkipDir
		case err != nil || d.IsDir():
			return err
		}
		if files++; files > most {
			return fmt.Errorf("%s: more than %d files: give a smaller folder", folder, most)
		}
		return visit(name, d)
	})
}
