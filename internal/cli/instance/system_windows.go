package instance

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// DeviceOf returns an error: this system does not report the file system of a
// path.
func DeviceOf(string) (uint64, error) { return 0, errors.ErrUnsupported }

// What Accessible may be asked.
const (
	MayRead  = 4
	MayWrite = 2
)

// Accessible returns the reason why this process may not use a path. On this
// system it must attempt an access.
func Accessible(dir string, mode uint32) error {
	if mode == 0 {
		_, err := os.Stat(dir)
		return err
	}
	if mode&MayRead != 0 {
		if _, err := os.ReadDir(dir); err != nil {
			return err
		}
	}
	f, err := os.CreateTemp(dir, "vitrine")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// RoomIn returns how many bytes are left in a directory's file system, and how
// many files; -1 where there is no such limit.
func RoomIn(dir string) (bytes, files int64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	var left uint64
	err = windows.GetDiskFreeSpaceEx(name, &left, nil, nil)
	return int64(left), -1, err
}
