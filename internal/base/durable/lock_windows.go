package durable

import (
	"errors"
	"fmt"
	"os"
)

// Lock refuses: on this system the program uses an instance, and runs
// none.
func Lock(f *os.File, _ bool) error {
	return fmt.Errorf("%s cannot be locked on Windows, where no instance can be run: %w", f.Name(),
		errors.ErrUnsupported)
}
