// Package mail sends messages over SMTP. It is a vitrine.Mailer.
package mail

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	netmail "net/mail"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine"

	"github.com/wneessen/go-mail"
)

// Options say where messages go.
type Options struct {
	// Server is smtp://user:password@host:587, with STARTTLS, which only a server on this very machine may do without, or where the
	// address ends with ?tls=off; or smtps://user:password@host:465, with TLS from the first byte.
	Server string
	From   string // Name <address>, or an address alone
	Log    *slog.Logger
	TLS    *tls.Config // nil: the system's roots
}

// Bounds of sending.
const (
	// waiting is how many messages wait at most for their turn; one more is lost.
	waiting = 200
	// putOff is how many wait at most to be tried again; one more is lost. They take nobody else's place.
	putOff = 100
	// atOnce is how many are sent at once.
	atOnce = 4
	// stepTime is how long each step of a try takes at most: to connect and be greeted, and to hand the message over.
	stepTime = 10 * time.Second
)

// pauses are between the tries to send a message that may yet be taken.
var pauses = []time.Duration{5 * time.Second, time.Minute}

// Sender sends messages in the background.
type Sender struct {
	options Options
	host    string
	client  []mail.Option
	from    *netmail.Address
	queue   chan letter   // its room is that of all there are, so that none waits for a place in it
	fresh   chan struct{} // one for each that was not tried yet, or is being tried the first time
	later   chan struct{} // one for each that is tried again, from its first failure on
	quit    chan struct{}
	done    sync.WaitGroup // workers, and pauses
	mu      sync.Mutex     // of closed, and of what begins with it
	closed  bool
	pauses  []time.Duration
	step    time.Duration
}

// letter is a message on its way.
type letter struct {
	vitrine.Message
	tries int // that have failed
}

var _ vitrine.Mailer = (*Sender)(nil)

// New reads the options, and begins to wait for messages. It does not ask whether the server is there.
func New(o Options) (*Sender, error) {
	s := &Sender{options: o, queue: make(chan letter, waiting+atOnce+putOff), fresh: make(chan struct{}, waiting+atOnce),
		later: make(chan struct{}, putOff), quit: make(chan struct{}), pauses: pauses, step: stepTime}
	var err error
	if s.from, err = netmail.ParseAddress(o.From); err != nil {
		return nil, fmt.Errorf("%q is not an address such as Vitrine <post@share.example>", o.From)
	}
	if s.client, s.host, err = clientOptions(o.Server, o.TLS); err != nil {
		return nil, err
	}
	for range atOnce {
		s.done.Go(s.work)
	}
	return s, nil
}

// Check reads options as New does, and does nothing else.
func Check(o Options) error {
	if _, err := netmail.ParseAddress(o.From); err != nil {
		return fmt.Errorf("%q is not an address such as Vitrine <post@share.example>", o.From)
	}
	_, _, err := clientOptions(o.Server, nil)
	return err
}

// clientOptions reads the address of a server. What is wrong with it is said without repeating it: there is a password in it.
func clientOptions(server string, config *tls.Config) ([]mail.Option, string, error) {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, "", errors.New("the mail server is not named as smtp://user:password@host:587 or smtps://user:password@host:465")
	}
	host, q := u.Hostname(), u.Query()
	off := q.Get("tls") == "off"
	if len(q) > 1 || len(q) == 1 && !off || off && u.Scheme == "smtps" {
		return nil, "", errors.New("the address of the mail server ends with its host and port; ?tls=off may follow smtp://")
	}
	var options []mail.Option
	port := 587
	plain := mail.SMTPAuthAutoDiscover
	switch {
	case u.Scheme == "smtps":
		port = 465
		options = append(options, mail.WithSSL())
	case off:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
		plain = mail.SMTPAuthPlainNoEnc
	case loopback(host):
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if p := u.Port(); p != "" {
		if _, err := fmt.Sscan(p, &port); err != nil || port < 1 || port > 65535 {
			return nil, "", errors.New("the port of the mail server is none")
		}
	}
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	config = config.Clone()
	config.ServerName = host
	options = append(options, mail.WithPort(port), mail.WithTLSConfig(config))
	if u.User != nil {
		password, _ := u.User.Password()
		options = append(options, mail.WithSMTPAuth(plain), mail.WithUsername(u.User.Username()), mail.WithPassword(password))
	}
	return options, host, nil
}

// loopback tells whether a host is this very machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Send is vitrine.Mailer's.
func (s *Sender) Send(m vitrine.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	select {
	case s.fresh <- struct{}{}:
		s.queue <- letter{Message: m}
	default:
		s.options.Log.Warn("a message was not sent: too many wait already", "waiting", waiting)
	}
}

// Close sends what waits, for as long as ctx allows, each once more at most. What a server has put off is not tried again.
func (s *Sender) Close(ctx context.Context) {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.quit)
	}
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() { s.done.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

func (s *Sender) work() {
	for {
		select {
		case m := <-s.queue:
			s.deliver(m)
		case <-s.quit:
			select {
			case m := <-s.queue:
				s.deliver(m)
			default:
				return
			}
		}
	}
}

// deliver tries to send a message, and has it tried again later where that may help. Meanwhile others are sent.
func (s *Sender) deliver(m letter) {
	err := s.send(m.Message)
	held := s.fresh
	if m.tries > 0 {
		held = s.later
	}
	<-held
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	again := m.tries < len(s.pauses) && mayPass(err) && !s.closed
	if again {
		select {
		case s.later <- struct{}{}:
		default:
			again = false
		}
	}
	s.options.Log.Warn("a message was not sent", "server", s.host, "error", reason(err, m.To), "again", again)
	if !again {
		return
	}
	pause := time.NewTimer(s.pauses[m.tries])
	m.tries++
	s.done.Go(func() {
		defer pause.Stop()
		select {
		case <-pause.C:
			s.queue <- m
		case <-s.quit:
			<-s.later
		}
	})
}

func (s *Sender) send(m vitrine.Message) error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*s.step)
	defer cancel()
	msg, err := s.message(m)
	if err != nil {
		return err
	}
	client, err := mail.NewClient(s.host, append(slices.Clip(s.client), mail.WithTimeout(s.step))...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, msg)
}

// message is a message as it is sent: plain text, from a program.
func (s *Sender) message(m vitrine.Message) (*mail.Msg, error) {
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := errors.Join(msg.FromFormat(s.from.Name, s.from.Address), msg.To(m.To)); err != nil {
		return nil, err
	}
	var id [16]byte
	rand.Read(id[:])
	_, domain, _ := strings.Cut(s.from.Address, "@")
	msg.SetMessageIDWithValue(hex.EncodeToString(id[:]) + "@" + domain)
	msg.SetDate()
	msg.Subject(m.Subject)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, m.Text)
	return msg, nil
}

// mayPass tells whether a failure may be none the next time: whatever the server has not refused for good.
func mayPass(err error) bool {
	var e *mail.SendError
	return !errors.As(err, &e) || e.IsTemp() || e.ErrorCode() < 500
}

// reason is a failure for the log, without the address that the message was for (promise 10): what a server says of it may repeat it.
func reason(err error, to string) string {
	var e *mail.SendError
	if errors.As(err, &e) {
		return strings.TrimSpace(fmt.Sprintf("%s (%d %s)", e.Reason, e.ErrorCode(), e.EnhancedStatusCode()))
	}
	text := strings.ToLower(err.Error())
	if name, _, ok := strings.Cut(strings.ToLower(to), "@"); ok && (strings.Contains(text, strings.ToLower(to)) || strings.Contains(text, name)) {
		return "the server refused it"
	}
	return err.Error()
}
