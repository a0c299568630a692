// Package mailtest has a mail server, for tests.
package mailtest

import (
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"regexp"
	"strings"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/backend/mail"

	"github.com/emersion/go-smtp"
)

// Server is an SMTP server, and the messages that it took.
type Server struct {
	mu  sync.Mutex
	all []Mail
}

// Mail is a message that arrived. HTML is "" if it has only a text.
type Mail struct {
	To, Text, HTML string
	Header         netmail.Header
}

// Code returns the code in a mail of an email gate.
func (m Mail) Code() string {
	return regexp.MustCompile(`(?m)^    (\d{3} \d{3})$`).FindString(m.Text)[4:]
}

// Address returns the address in a mail, without its host.
func (m Mail) Address() string {
	return regexp.MustCompile(`(?m)^https?://[^/]+(/\S+)$`).FindStringSubmatch(m.Text)[1]
}

// To returns the messages to an address.
func (m *Server) To(address string) (to []Mail) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.all {
		if l.To == address {
			to = append(to, l)
		}
	}
	return to
}

// New starts a mail server, and returns a mailer that sends to it.
func New(t testing.TB) (*Server, vitrine.Mailer) {
	t.Helper()
	m := new(Server)
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{server: m}, nil
	}))
	server.Domain = "office.example"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	sender, err := mail.New(mail.Options{Server: "smtp://" + l.Addr().String(), From: "share@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	return m, sender
}

type session struct {
	server *Server
	to     string
}

func (v *session) Mail(string, *smtp.MailOptions) error { return nil }

func (v *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.to = to
	return nil
}

func (v *session) Data(r io.Reader) error {
	m, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	got := Mail{To: v.to, Header: m.Header}
	if err := got.read(m.Header.Get("Content-Type"), m.Body); err != nil {
		return err
	}
	v.server.mu.Lock()
	defer v.server.mu.Unlock()
	v.server.all = append(v.server.all, got)
	return nil
}

// read reads a body: a text, or alternatives that say the same.
func (m *Mail) read(kind string, body io.Reader) error {
	kind, parameters, err := mime.ParseMediaType(kind)
	if err != nil {
		return err
	}
	if kind == "multipart/alternative" {
		parts := multipart.NewReader(body, parameters["boundary"])
		for part, err := parts.NextPart(); err == nil; part, err = parts.NextPart() { // which decodes it
			b, err := io.ReadAll(part)
			if err != nil {
				return err
			}
			text := strings.ReplaceAll(string(b), "\r\n", "\n")
			if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
				m.HTML = text
			} else {
				m.Text = text
			}
		}
		return nil
	}
	b, err := io.ReadAll(quotedprintable.NewReader(body))
	m.Text = strings.ReplaceAll(string(b), "\r\n", "\n")
	return err
}

func (v *session) Reset()        {}
func (v *session) Logout() error { return nil }
