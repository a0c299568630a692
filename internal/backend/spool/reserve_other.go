//go:build !linux

package spool

import (
	"errors"
	"os"
)

func allocate(string, int64) error { return errors.ErrUnsupported }

func allocated(os.FileInfo) int64 { return 0 }

func diskSpace(string) (total, free int64, err error) { return 0, 0, errors.ErrUnsupported }
