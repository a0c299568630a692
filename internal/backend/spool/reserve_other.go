//go:build !linux

package spool

import "errors"

func allocate(string, int64) error { return errors.ErrUnsupported }

func diskSpace(string) (total, free int64, err error) { return 0, 0, errors.ErrUnsupported }
