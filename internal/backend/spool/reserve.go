package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"vitrine/internal/base/durable"
)

// On a full disk the spool continues in its reserve: empty files whose blocks
// are already allocated, so that nothing else can take them. Each becomes a
// file of the spool when it is needed, and is replaced once there is room.

const (
	pieceBytes = 4 << 20 // of each file of the reserve
	// pieces is how many files the reserve has, with room for some hundred
	// thousand views in all.
	pieces = 16
	// The reserve takes at most one reserveShare-th of a file system.
	reserveShare = 16
	// reserveMinFree is how much free room the reserve leaves for the
	// databases.
	reserveMinFree = 4 * pieceBytes
	reserveSuffix  = ".reserve"
	probeBytes     = 64 << 10
)

// Reserve allocates room for the time of a full disk, in a directory beside
// that of the spool. It must be called before the first use of the spool. If
// the file system cannot allocate room ahead, or has little, there is no
// reserve.
func (s *Spool) Reserve() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserve = s.dir + reserveSuffix
	if err := os.MkdirAll(s.reserve, 0o700); err != nil {
		return fmt.Errorf("create the reserve of the spool: %w", err)
	}
	s.replenish()
	return nil
}

func (s *Spool) piece(n int) string {
	return filepath.Join(s.reserve, strconv.Itoa(n))
}

// replenish makes the missing files of the reserve, as far as the file system
// has room. Files of an earlier process are used again, and get their room if
// they lack it.
func (s *Spool) replenish() {
	if s.reserve == "" {
		return
	}
	for n := s.pieces; n < pieces; n++ {
		total, free, err := diskSpace(s.reserve)
		st, missing := os.Stat(s.piece(n))
		if err != nil || int64(n+1)*pieceBytes > total/reserveShare || missing != nil &&
			free < pieceBytes+reserveMinFree {
			return
		}
		if (missing != nil || allocated(st) < pieceBytes) && allocate(s.piece(n), pieceBytes) != nil {
			_ = os.Remove(s.piece(n))
			return
		}
		s.pieces = n + 1
	}
}

// full reports whether the error means that the disk is full.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// resume opens the last file again if it is a piece of the reserve. A replay
// that failed has closed it, but it still has room.
func (s *Spool) resume() error {
	if s.open != nil || len(s.files) == 0 {
		return nil
	}
	f := s.last()
	if !f.piece || f.busy || f.size >= pieceBytes {
		return nil
	}
	w, err := os.OpenFile(s.path(f, suffix), os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := w.Seek(f.size, io.SeekStart); err != nil {
		return errors.Join(err, w.Close())
	}
	s.open = w
	return nil
}

// beginReserve makes a file of records in a piece of the reserve, and continues
// with it.
func (s *Spool) beginReserve(records []byte) error {
	f := &file{number: s.next, size: int64(len(records)), piece: true, since: time.Now()}
	s.next++
	s.pieces--
	path := s.path(f, suffix)
	if err := durable.Rename(s.piece(s.pieces), path); err != nil {
		return err
	}
	w, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return s.fill(w, f, records)
}

// CheckSpace returns nil if the spool has room for more, and otherwise
// [ErrFull] or the error of the disk. It replaces files of the reserve that
// were used.
func (s *Spool) CheckSpace() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size+probeBytes > s.MaxBytes {
		return ErrFull
	}
	s.replenish()
	err := s.probe()
	if full(err) && s.pieces > 0 {
		return nil
	}
	return err
}

// probe writes to the disk as the spool does. A reserve is no room on a disk
// that fails or that became read-only.
func (s *Spool) probe() error {
	f, err := os.CreateTemp(s.dir, "probe")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeBytes))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
