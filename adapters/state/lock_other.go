//go:build !unix

package state

import (
	"errors"
	"os"
)

// flock fails: without a lock that the system releases, two watchers could corrupt each other's state.
func flock(*os.File) error {
	return errors.New("this system has no locks of files: history and alerts need Linux or another Unix")
}
