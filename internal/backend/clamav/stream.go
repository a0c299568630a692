package clamav

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// chunk is how many bytes of a file are in memory at once.
const chunk = 128 << 10

var chunks = sync.Pool{New: func() any { return new([4 + chunk]byte) }}

var (
	errEarly   = errors.New("clamd answered before it received the whole file")
	errStalled = fmt.Errorf("clamd did not read the file for %v", stallTime)
	errRead    = errors.New("the file cannot be read to its end")
)

type reply struct {
	text string
	err  error
}

// stream sends exactly size bytes of r to clamd and returns its answer. After a
// verdict the session can be used again.
func (s *session) stream(r io.Reader, size int64) (string, error) {
	replies := make(chan reply, 1)
	go func() { // clamd sends the reason before it closes the connection; the failing write would lose it
		text, err := s.answer()
		replies <- reply{text, err}
	}()
	err := s.send(r, size, func() bool { return len(replies) > 0 })
	if err == nil {
		got := <-replies
		return got.text, got.err
	}
	switch {
	case errors.Is(err, errRead):
		s.close()
		<-replies
		return "", err
	case isTimeout(err):
		s.close()
		<-replies
		return "", errStalled
	case err != errEarly: // the connection is broken and no answer came before
		_ = s.conn.SetReadDeadline(time.Now().Add(greetTime))
	}
	got := <-replies
	switch {
	case got.text == tooLong:
		return tooLong, nil
	case got.err == nil:
		return "", fmt.Errorf("%w: %s", errEarly, excerpt(got.text))
	}
	return "", fmt.Errorf("clamd stopped reading the file: %w", got.err)
}

// send streams the file in chunks. It stops when an answer has arrived.
func (s *session) send(r io.Reader, size int64, answered func() bool) error {
	buf := chunks.Get().(*[4 + chunk]byte)
	defer chunks.Put(buf)
	if err := s.write([]byte("zINSTREAM\x00")); err != nil {
		return err
	}
	for left := size; left > 0; {
		n := min(left, chunk)
		if _, err := io.ReadFull(r, buf[4:4+n]); err != nil {
			return fmt.Errorf("%w: %w", errRead, ended(err))
		}
		if answered() {
			return errEarly
		}
		binary.BigEndian.PutUint32(buf[:], uint32(n))
		if err := s.write(buf[:4+n]); err != nil {
			return err
		}
		left -= n
	}
	if n, err := io.ReadFull(r, buf[:1]); n > 0 {
		return fmt.Errorf("%w: it has more than %d bytes", errRead, size)
	} else if err != io.EOF {
		return fmt.Errorf("%w: %w", errRead, err)
	}
	if answered() {
		return errEarly
	}
	return s.write([]byte{0, 0, 0, 0})
}

// ended turns an early end of the file into an error.
func ended(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
