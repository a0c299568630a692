package clamav

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	dialTime  = 5 * time.Second
	greetTime = 10 * time.Second // clamd answers VERSION at once, even if all its threads scan
	stallTime = 30 * time.Second // for each chunk
	maxAnswer = 4 << 10          // bytes
)

var (
	errAlertsOff = errors.New("it reports files beyond its limits as clean, so it cannot be used: set \"AlertExceedsMax yes\" in its clamd.conf (and leave ScanArchive on, and MaxRecursion below 100), then restart it")
	errSlow      = fmt.Errorf("the scan exceeded the time limit for a file of this size: %w", context.DeadlineExceeded)
	errBusy      = fmt.Errorf("it is running, but too busy to answer the check: %w", context.DeadlineExceeded)
	errGreeting  = fmt.Errorf("it takes connections but does not answer: %w", context.DeadlineExceeded)
)

// session is a connection on which clamd numbers its answers. Its daemon has
// proved that it alerts when its limits are exceeded.
type session struct {
	conn    net.Conn
	answers *bufio.Reader
	asked   int
	version version
	idle    *time.Timer // while the session waits to be used
}

// begin opens a session and checks that the daemon may be used. It ends with
// ctx.
func begin(ctx context.Context, dial dialer, a Address) (*session, error) {
	s, err := greet(ctx, dial, a)
	if err != nil {
		return nil, err
	}
	if err := s.during(ctx, s.requireLimitAlerts); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// greet opens a session without the check of the limits. It ends with ctx.
func greet(ctx context.Context, dial dialer, a Address) (*session, error) {
	dialing, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	conn, err := dial(dialing, a.network, a.address)
	if ctx.Err() != nil {
		if err == nil {
			_ = conn.Close()
		}
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	conn = ackQuickly(conn)
	s := &session{conn: conn, answers: bufio.NewReaderSize(conn, maxAnswer)}
	if err := s.during(ctx, func() error { return s.askVersion("zIDSESSION\x00") }); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// during calls f. If ctx ends, it closes the connection, so that f returns; the
// error is then that of ctx.
func (s *session) during(ctx context.Context, f func() error) error {
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		s.close()
		close(closed)
	})
	err := f()
	if !stop() {
		<-closed
		return context.Cause(ctx)
	}
	return err
}

func (s *session) close() { _ = s.conn.Close() }

// write sends a command or a chunk.
func (s *session) write(b []byte) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(stallTime)); err != nil {
		return err
	}
	_, err := s.conn.Write(b)
	return err
}

// askVersion asks for the version, which also shows that the daemon is alive.
// first is a command to send before it.
func (s *session) askVersion(first string) error {
	answer, err := s.greet(first + "zVERSION\x00")
	if isTimeout(err) {
		return errGreeting
	}
	if err == nil {
		s.version, err = parseVersion(answer)
	}
	return err
}

func (s *session) greet(commands string) (answer string, err error) {
	if err := s.conn.SetDeadline(time.Now().Add(greetTime)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(s.conn, commands); err != nil {
		return "", err
	}
	if answer, err = s.answer(); err != nil {
		return "", err
	}
	return answer, s.conn.SetDeadline(time.Time{}) // from here on the context limits it
}

// requireLimitAlerts checks that the daemon alerts at content beyond its
// limits.
func (s *session) requireLimitAlerts() error {
	answer, err := s.stream(bytes.NewReader(probe()), int64(len(probe())))
	if err != nil {
		return err
	}
	name, _ := signatureName(answer)
	switch {
	case strings.HasPrefix(name, limitPrefix):
		return nil
	case answer == clean:
		return errAlertsOff
	}
	return fmt.Errorf("it did not answer the check of its limits as expected: %s", excerpt(answer))
}

// answer reads exactly one answer and removes its number.
func (s *session) answer() (string, error) {
	s.asked++
	line, err := s.answers.ReadSlice(0)
	text := string(bytes.TrimSuffix(line, []byte{0}))
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("clamd's answer has no end: %s", excerpt(text))
	case errors.Is(err, io.EOF) && len(line) == 0:
		return "", errors.New("clamd closed the connection without an answer")
	case err != nil && len(line) > 0:
		return "", fmt.Errorf("clamd's answer is cut: %s: %w", excerpt(text), err)
	case err != nil:
		return "", err
	case s.answers.Buffered() > 0:
		return "", fmt.Errorf("clamd answered more than once: %s", excerpt(text))
	}
	number, text, ok := strings.Cut(text, ": ")
	if !ok || number != strconv.Itoa(s.asked) {
		return "", fmt.Errorf("clamd's answer is not the one to question %d: %s", s.asked, excerpt(string(line)))
	}
	return text, nil
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
