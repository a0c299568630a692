// Package mail sends messages over SMTP.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/base/notation"

	"github.com/wneessen/go-mail"
)

// Options configure a Sender.
type Options struct {
	// Server is smtp://user:password@host:587 for STARTTLS, or
	// smtps://user:password@host:465 for implicit TLS. STARTTLS is required
	// unless the server is on this machine or the address ends with ?tls=off.
	Server string
	From   string      // "Name <address>" or an address
	TLS    *tls.Config // nil means the system's root certificates
}

// stepTime is the time limit of each step of an attempt: connecting, the
// greeting, and sending the message.
const stepTime = 10 * time.Second

// Sender sends each message on a new connection.
type Sender struct {
	host   string
	client []mail.Option
	from   *netmail.Address
	step   time.Duration
}

var _ vitrine.Mailer = (*Sender)(nil)

// New checks the options and returns a Sender. It does not connect to the
// server.
func New(o Options) (*Sender, error) {
	s := &Sender{step: stepTime}
	var err error
	if s.from, err = netmail.ParseAddress(o.From); err != nil {
		return nil, fmt.Errorf("%q is not an address such as Vitrine <post@share.example>", o.From)
	}
	if s.client, s.host, err = clientOptions(o.Server, o.TLS); err != nil {
		return nil, err
	}
	return s, nil
}

// Check returns an error if New would refuse the options.
func Check(o Options) error {
	if _, err := netmail.ParseAddress(o.From); err != nil {
		return fmt.Errorf("%q is not an address such as Vitrine <post@share.example>", o.From)
	}
	_, _, err := clientOptions(o.Server, nil)
	return err
}

// clientOptions parses the address of a server. Errors do not contain the
// address, because it may include a password.
func clientOptions(server string, config *tls.Config) ([]mail.Option, string, error) {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" || u.Scheme != "smtp" &&
		u.Scheme != "smtps" {
		return nil, "", errors.New("the mail server must be smtp://user:password@host:587 or smtps://user:password@host:465")
	}
	q := u.Query()
	host, err := notation.HostASCII(u.Hostname())
	if err != nil {
		return nil, "", err
	}
	off := q.Get("tls") == "off"
	if len(q) > 1 || len(q) == 1 && !off || off && u.Scheme == "smtps" {
		return nil, "", errors.New("the address of the mail server must end with host and port; smtp:// may also end with ?tls=off")
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
			return nil, "", errors.New("the port of the mail server is not a number")
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
		options = append(options, mail.WithSMTPAuth(plain), mail.WithUsername(u.User.Username()),
			mail.WithPassword(password))
	}
	return options, host, nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Send implements [vitrine.Mailer]. It does not stop when ctx ends, because the
// server may already have accepted the message.
func (s *Sender) Send(ctx context.Context, m vitrine.Message) error {
	err := s.send(context.WithoutCancel(ctx), m)
	if err == nil {
		return nil
	}
	refusal := errors.New(s.host + ": " + reason(err, m.To))
	if isTemporary(err) {
		return refusal
	}
	return fmt.Errorf("%w: %w", vitrine.ErrMailRefused, refusal)
}

func (s *Sender) send(ctx context.Context, m vitrine.Message) error {
	ctx, cancel := context.WithTimeout(ctx, 3*s.step)
	defer cancel()
	msg, err := s.message(m)
	if err != nil {
		return err
	}
	client, err := mail.NewClient(s.host, append(slices.Clip(s.client), mail.WithTimeout(s.step))...)
	if err != nil {
		return err
	}
	if err = client.DialAndSendWithContext(ctx, msg); msg.IsDelivered() {
		return nil // a later connection error does not matter
	}
	return err
}

// message returns a message with the headers of an automatic one.
func (s *Sender) message(m vitrine.Message) (*mail.Msg, error) {
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := errors.Join(msg.FromFormat(s.from.Name, s.from.Address), msg.To(m.To)); err != nil {
		return nil, err
	}
	_, domain, _ := strings.Cut(s.from.Address, "@")
	msg.SetMessageIDWithValue(m.ID + "@" + domain)
	msg.SetDate()
	msg.Subject(m.Subject)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(mail.TypeTextHTML, m.HTML)
	}
	if m.Stop != "" {
		msg.SetGenHeader("List-Unsubscribe", "<"+m.Stop+">")
		msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	return msg, nil
}

// isTemporary reports whether a retry may succeed. It returns false after a
// permanent refusal.
func isTemporary(err error) bool {
	var e *mail.SendError
	return !errors.As(err, &e) || e.IsTemp() || e.ErrorCode() < 500
}

// reason returns the cause of a failure for the log, without the recipient's
// address, which the response of the server may contain (promise 10).
func reason(err error, to string) string {
	var e *mail.SendError
	if errors.As(err, &e) {
		return strings.TrimSpace(fmt.Sprintf("%s (%d %s)", e.Reason, e.ErrorCode(), e.EnhancedStatusCode()))
	}
	text := strings.ToLower(err.Error())
	if name, _, ok := strings.Cut(strings.ToLower(to), "@"); ok &&
		(strings.Contains(text, strings.ToLower(to)) || strings.Contains(text, name)) {
		return "the server refused it"
	}
	return err.Error()
}
