package spool

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// allocate makes an empty file that has allocated blocks for n bytes.
func allocate(path string, bytes int64) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for {
		err = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, bytes)
		if !errors.Is(err, unix.EINTR) {
			return errors.Join(err, f.Close())
		}
	}
}

// allocated returns how many bytes a file has blocks for.
func allocated(st os.FileInfo) int64 {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return 0
}

// diskSpace returns how large the file system of a directory is and how much of
// it is free.
func diskSpace(dir string) (total, free int64, err error) {
	var s unix.Statfs_t
	err = unix.Statfs(dir, &s)
	return int64(s.Blocks) * s.Bsize, int64(s.Bavail) * s.Bsize, err
}
