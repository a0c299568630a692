package durable

import (
	"errors"
	"fmt"
	"os"
)

// lock refuses: on this system the program uses an instance, and runs none.
func lock(f *os.File, _ Hold) error {
	return fmt.Errorf("%s cannot be locked on Windows, where no instance can be run: %w", f.Name(),
		errors.ErrUnsupported)
}

func unlock(*os.File) {}
