package webtest

import (
	"io"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"regexp"
	"strings"
	"sync"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/backend/mail"
	"vitrine/internal/web/httpx"

	"github.com/emersion/go-smtp"
)

// MailServer is an SMTP server, and the messages that it took.
type MailServer struct {
	mu  sync.Mutex
	all []Mail
}

// Mail is a message that arrived.
type Mail struct{ To, Text string }

// Code returns the code in a mail of an email gate.
func (m Mail) Code() string {
	return regexp.MustCompile(`(?m)^    (\d{3} \d{3})$`).FindString(m.Text)[4:]
}

// Address returns the address in a mail, without its host.
func (m Mail) Address() string {
	return regexp.MustCompile(`(?m)^https?://[^/]+(/\S+)$`).FindStringSubmatch(m.Text)[1]
}

// To returns the messages to an address.
func (m *MailServer) To(address string) (to []Mail) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.all {
		if l.To == address {
			to = append(to, l)
		}
	}
	return to
}

// Gatekeeper starts a mail server, to which the gates of links send.
func (s *Site) Gatekeeper() *MailServer {
	s.T.Helper()
	m := new(MailServer)
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &mailSession{server: m}, nil
	}))
	server.Domain = "office.example"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.Check(err)
	go func() { _ = server.Serve(l) }()
	s.T.Cleanup(func() { _ = server.Close() })
	sender, err := mail.New(mail.Options{Server: "smtp://" + l.Addr().String(), From: "share@example.org"})
	s.Check(err)
	g := s.Server.Gates
	box := &fleet.Outbox{Store: g.Store, Mailer: sender, Now: g.Now}
	box.Wake = func() { s.Check(box.Send(s.T.Context())) }
	g.Mail, g.Site = box, s.Server.PublicURL.Host
	g.Address = func(l *vitrine.Link, text string) string { return httpx.MailedURL(s.Server.PublicURL, l, text) }
	return m
}

type mailSession struct {
	server *MailServer
	to     string
}

func (v *mailSession) Mail(string, *smtp.MailOptions) error { return nil }

func (v *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.to = to
	return nil
}

func (v *mailSession) Data(r io.Reader) error {
	m, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	b, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	v.server.mu.Lock()
	defer v.server.mu.Unlock()
	v.server.all = append(v.server.all, Mail{v.to, strings.ReplaceAll(string(b), "\r\n", "\n")})
	return err
}

func (v *mailSession) Reset()        {}
func (v *mailSession) Logout() error { return nil }
