//go:build unix

package instance

import "golang.org/x/sys/unix"

// DeviceOf returns the number of the file system of a path.
func DeviceOf(path string) (uint64, error) {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	return uint64(st.Dev), err
}

// What Accessible may be asked, besides whether a directory can be entered or a
// program run.
const (
	MayRead  = unix.R_OK
	MayWrite = unix.W_OK
)

// Accessible reports why this process may not use a path.
func Accessible(path string, mode uint32) error { return unix.Access(path, mode|unix.X_OK) }

// RoomIn returns how many bytes are left in a directory's file system, and how
// many files; -1 where there is no such limit.
func RoomIn(dir string) (bytes, files int64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, 0, err
	}
	if files = -1; fs.Files > 0 {
		files = int64(fs.Ffree)
	}
	return int64(fs.Bavail) * int64(fs.Bsize), files, nil
}
