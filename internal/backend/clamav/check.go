package clamav

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Health is the state of one clamd.
type Health struct {
	Address string // as String of its Address
	Version string // such as "ClamAV 1.4.6/27500/Sat Nov 21 08:00:00 2026", without a database "ClamAV 1.4.6"; "" with an error
	Err     error  // why it cannot be used, and what to do
}

// String returns one line for the administrator.
func (h Health) String() string {
	if h.Err != nil {
		return h.Err.Error()
	}
	return "clamd at " + h.Address + ": " + h.Version
}

// checkTime limits Check, regardless of ctx: a daemon whose threads are all
// busy answers the check of its limits late.
const checkTime = 10 * time.Second

// Check reports whether each daemon is reachable and safe to use, in the order
// of the options, within seconds.
func (s *Scanner) Check(ctx context.Context) []Health {
	ctx, cancel := context.WithTimeoutCause(ctx, checkTime, errBusy)
	defer cancel()
	all := make([]Health, len(s.daemons))
	var checks sync.WaitGroup
	for i, d := range s.daemons {
		checks.Go(func() {
			all[i].Address = d.address.String()
			c, err := d.session(ctx)
			if err != nil {
				all[i].Err = err
				return
			}
			all[i].Version = string(c.version)
			d.keep(c)
		})
	}
	checks.Wait()
	return all
}

const (
	// signaturesTime limits Signatures. signaturesGrace is how long it waits
	// for other daemons after one has answered.
	signaturesTime  = 5 * time.Second
	signaturesGrace = time.Second
)

// Signatures returns the version of clamd and of its daily database, as "ClamAV
// 1.4.6/27500". Of several daemons it returns the oldest. So every file that
// was scanned while this was the answer was scanned with these signatures or
// newer ones, by whichever daemon. The text changes once, when the last daemon
// has the new signatures. Daemons that do not answer are left out, unless none
// answers. The answer may be some seconds old.
//
// clamd reports only its daily database. After a change of local signatures
// alone, clean files are scanned again only when an administrator requests it.
func (s *Scanner) Signatures(ctx context.Context) (string, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	if time.Since(s.signaturesAt) < s.maxSignatureAge {
		return s.signatures, nil
	}
	text, err := s.askVersions(ctx)
	if err == nil {
		s.signatures, s.signaturesAt = text, time.Now()
	}
	return text, err
}

// askVersions asks all daemons for their versions in parallel. clamd answers
// this however busy it is. Whether a daemon can be trusted is checked before
// each scan.
func (s *Scanner) askVersions(ctx context.Context) (string, error) {
	type reply struct {
		version version
		err     error
	}
	replies := make(chan reply, len(s.daemons))
	for _, d := range s.daemons {
		go func() {
			ctx, cancel := context.WithTimeoutCause(ctx, signaturesTime, errGreeting)
			defer cancel()
			v, err := d.greet(ctx)
			replies <- reply{v, err}
		}()
	}
	var oldest version
	var failures []error
	var late <-chan time.Time
	for range s.daemons {
		select {
		case r := <-replies:
			switch {
			case r.err != nil:
				failures = append(failures, r.err)
			case oldest == "" || r.version.before(oldest):
				oldest = r.version
			}
		case <-late:
			return oldest.signatures(), nil
		}
		if oldest != "" && late == nil {
			late = time.After(signaturesGrace)
		}
	}
	if oldest == "" {
		return "", joinFailures(failures)
	}
	return oldest.signatures(), nil
}

// signatures returns the version without the time of the database, which each
// daemon writes in its own time zone.
func (v version) signatures() string {
	engine, rest, _ := strings.Cut(string(v), "/")
	if number, _, ok := strings.Cut(rest, "/"); ok {
		return engine + "/" + number
	}
	return engine
}

// database returns the number of the daily database, 0 without one.
func (v version) database() uint64 {
	_, number, _ := strings.Cut(v.signatures(), "/")
	n, _ := strconv.ParseUint(number, 10, 64)
	return n
}

func (v version) before(o version) bool {
	if v.database() != o.database() {
		return v.database() < o.database()
	}
	return v.signatures() < o.signatures()
}

// advice returns the remedy for an error of the connection, or "" if none is
// known.
func advice(a Address, err error) string {
	socket := a.network == "unix"
	var dialing *net.OpError
	switch {
	case errors.Is(err, fs.ErrPermission) && socket:
		return "this user may not connect to it: add the user that runs this program to the group of the socket, or set \"LocalSocketMode 666\" in its clamd.conf"
	case errors.Is(err, fs.ErrNotExist) && socket:
		return "there is no such socket: start clamd, or give the path that LocalSocket has in its clamd.conf"
	case errors.Is(err, syscall.ECONNREFUSED):
		if socket {
			return "nothing listens there: start clamd"
		}
		return "nothing listens there: start clamd, with this port and address as TCPSocket and TCPAddr in its clamd.conf"
	case errors.As(err, &dialing) && dialing.Op == "dial" && dialing.Timeout():
		return "it cannot be reached: check the address and the network"
	}
	return ""
}
