package mail

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/porttest"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// mailServer is a mail server with one account, ann with the password secret.
type mailServer struct {
	t      *testing.T
	port   string
	roots  *x509.CertPool
	server *smtp.Server
	got    chan received
	refuse func() error // the answer to a recipient
}

type received struct {
	from, to, user string
	tls            bool
	message        *netmail.Message
	body           string
}

type smtpSession struct {
	o    *mailServer
	conn *smtp.Conn
	l    received
}

func (o *mailServer) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &smtpSession{o: o, conn: c}, nil
}

func (v *smtpSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (v *smtpSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "ann" || password != "se:cr@t" {
			return smtp.ErrAuthFailed
		}
		v.l.user = user
		return nil
	}), nil
}

func (v *smtpSession) Mail(from string, _ *smtp.MailOptions) error {
	v.l.from = from
	_, v.l.tls = v.conn.TLSConnectionState()
	return nil
}

func (v *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.l.to = to
	if v.o.refuse != nil {
		return v.o.refuse()
	}
	return nil
}

func (v *smtpSession) Data(r io.Reader) error {
	m, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	v.l.message = m
	b, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	v.l.body = strings.ReplaceAll(string(b), "\r\n", "\n")
	v.o.got <- v.l
	return err
}

func (v *smtpSession) Reset()        { v.l = received{user: v.l.user} }
func (v *smtpSession) Logout() error { return nil }

// newMailServer starts a server on 127.0.0.1: with STARTTLS if secret is set,
// and with TLS from the first byte if first is set.
func newMailServer(t *testing.T, secret, first bool) *mailServer {
	t.Helper()
	o := &mailServer{t: t, got: make(chan received, 300)}
	o.server = smtp.NewServer(o)
	o.server.Domain = "office.example"
	o.server.AllowInsecureAuth = true
	o.server.ErrorLog = quiet{}
	config := o.certificate()
	if secret {
		o.server.TLSConfig = config
		o.server.AllowInsecureAuth = false
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, o.port, _ = net.SplitHostPort(l.Addr().String())
	if first {
		l = tls.NewListener(l, config)
	}
	go func() { _ = o.server.Serve(l) }()
	t.Cleanup(func() { _ = o.server.Close() })
	return o
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func (o *mailServer) certificate() *tls.Config {
	key, err1 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err2 := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	cert, err3 := x509.ParseCertificate(der)
	if err := errors.Join(err1, err2, err3); err != nil {
		o.t.Fatal(err)
	}
	o.roots = x509.NewCertPool()
	o.roots.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

func newSender(t *testing.T, server string, roots *x509.CertPool) *Sender {
	t.Helper()
	s, err := New(Options{Server: server, From: "Vitrine <post@share.example>", TLS: &tls.Config{RootCAs: roots}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSend checks that a message arrives unchanged, over TLS, from an
// authenticated sender.
func TestSend(t *testing.T) {
	for name, c := range map[string]struct {
		secret, first bool
		scheme, query string
		user          string
		tls           bool
	}{
		"STARTTLS":     {secret: true, scheme: "smtp", user: "ann:se%3Acr%40t@", tls: true},
		"TLS":          {first: true, scheme: "smtps", user: "ann:se%3Acr%40t@", tls: true},
		"this machine": {scheme: "smtp"},
		"off":          {scheme: "smtp", query: "?tls=off", user: "ann:se%3Acr%40t@"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newMailServer(t, c.secret, c.first)
			s := newSender(t, c.scheme+"://"+c.user+"127.0.0.1:"+o.port+c.query, o.roots)
			if err := s.Send(t.Context(), porttest.HardMessage); err != nil {
				t.Fatal(err)
			}
			l := <-o.got
			if l.from != "post@share.example" || l.to != porttest.HardMessage.To || l.tls != (c.tls && !c.first) &&
				!c.first || c.user != "" && l.user != "ann" {
				t.Errorf("message = %+v", l)
			}
			if l.body != porttest.HardMessage.Text {
				t.Errorf("body = %q", l.body)
			}
			h := l.message.Header
			if h.Get("Auto-Submitted") != "auto-generated" || !strings.HasPrefix(h.Get("Content-Type"), "text/plain") ||
				h.Get("Message-ID") != "<abc@share.example>" ||
				h.Get("Date") == "" || h.Get("From") != `"Vitrine" <post@share.example>` ||
				h.Get("User-Agent")+h.Get("X-Mailer") != "" {
				t.Errorf("header = %v", h)
			}
		})
	}
}

// refused sends a message that must not arrive and returns the error, which
// must not contain the recipient.
func refused(t *testing.T, what string, o *mailServer, s *Sender) error {
	t.Helper()
	err := s.Send(t.Context(), porttest.HardMessage)
	if err == nil || o != nil && len(o.got) > 0 {
		t.Fatalf("%s: %v, but the message arrived", what, err)
	}
	for _, secret := range []string{"bob", "cr@t"} {
		if strings.Contains(strings.ToLower(err.Error()), secret) {
			t.Errorf("%s: the error names the recipient: %v", what, err)
		}
	}
	return err
}

// TestSendRefuses checks that a password is never sent over an unencrypted
// connection, and that unknown certificates are refused.
func TestSendRefuses(t *testing.T) {
	o := newMailServer(t, false, false)
	s := newSender(t, "smtp://ann:se%3Acr%40t@127.0.0.1:"+o.port, o.roots)
	opts, _, err := clientOptions("smtp://ann:se%3Acr%40t@mail.example:"+o.port,
		nil) // as if the host were another machine
	if err != nil {
		t.Fatal(err)
	}
	s.client = opts
	refused(t, "no STARTTLS, and a password", o, s)
	refused(t, "wrong password", o, newSender(t, "smtp://ann:x@127.0.0.1:"+o.port+"?tls=off", o.roots))
	secret := newMailServer(t, true, false)
	if err := refused(t, "an unknown certificate", secret,
		newSender(t, "smtp://127.0.0.1:"+secret.port, x509.NewCertPool())); !strings.Contains(err.Error(),
		"certificate") {
		t.Error(err)
	}
}

func TestMailer(t *testing.T) {
	porttest.Mailer(t, func(t *testing.T) porttest.MailServer {
		o := newMailServer(t, false, false)
		return porttest.MailServer{
			Mailer: newSender(t, "smtp://127.0.0.1:"+o.port, nil),
			Took: func() vitrine.Message {
				l := <-o.got
				id, _, _ := strings.Cut(strings.TrimPrefix(l.message.Header.Get("Message-ID"), "<"), "@")
				subject, err := new(mime.WordDecoder).DecodeHeader(l.message.Header.Get("Subject"))
				if err != nil {
					t.Error(err)
				}
				return vitrine.Message{ID: id, To: l.to, Subject: subject, Text: l.body}
			},
			Refuse: func(forever bool) {
				o.refuse = func() error {
					if forever {
						return &smtp.SMTPError{Code: 550, Message: "no Bob.Reader@example.org here"}
					}
					return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1},
						Message: "bob.reader@example.org: come again"}
				}
			},
		}
	})
}

// TestRefusalCode checks that the error of a refused message has the server's
// code.
func TestRefusalCode(t *testing.T) {
	o := newMailServer(t, false, false)
	s := newSender(t, "smtp://127.0.0.1:"+o.port, nil)
	for _, code := range []int{451, 550} {
		o.refuse = func() error { return &smtp.SMTPError{Code: code, Message: "no"} }
		if err := refused(t, "refused", o, s); !strings.Contains(err.Error(), strconv.Itoa(code)) {
			t.Errorf("error for code %d = %v", code, err)
		}
	}
}

// TestSentIsSent checks that a message that the server has accepted counts as
// sent, however the connection ends.
func TestSentIsSent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close() // instead of answering QUIT
		lines := bufio.NewReader(conn)
		fmt.Fprint(conn, "220 office.example\r\n")
		for data := false; ; {
			line, err := lines.ReadString('\n')
			switch {
			case err != nil:
				return
			case data && line == ".\r\n":
				fmt.Fprint(conn, "250 taken\r\n")
				return
			case data:
			case strings.HasPrefix(line, "DATA"):
				data = true
				fmt.Fprint(conn, "354 go on\r\n")
			default:
				fmt.Fprint(conn, "250 office.example\r\n")
			}
		}
	}()
	if err := newSender(t, "smtp://"+l.Addr().String(), nil).Send(t.Context(), porttest.HardMessage); err != nil {
		t.Error(err)
	}
}

// TestServerDown checks that sending to a server that is down or does not
// answer ends within a bounded time.
func TestServerDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // no connection is answered
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for name, addr := range map[string]net.Addr{"down": gone.Addr(), "hanging": l.Addr()} {
		s := newSender(t, "smtp://"+addr.String(), nil)
		s.step = 50 * time.Millisecond
		if err := refused(t, name, nil, s); errors.Is(err, vitrine.ErrMailRefused) {
			t.Errorf("%s: %v, want no ErrMailRefused", name, err)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, bad := range []string{"", "mail.example", "mail.example:587", "http://mail.example", "smtp://",
		"smtp://mail.example/path", "smtp://mail.example:x", "smtp://mail.example:99999",
		"smtp://a:b@mail.example?tls=maybe", "smtps://mail.example?tls=off", "smtp://a:secret@[",
		"smtp://mail.example?tls=off&x=y"} {
		if _, _, err := clientOptions(bad, nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("clientOptions(%q) = %v", bad, err)
		}
	}
	for _, good := range []string{"smtp://mail.example", "smtps://a:b@mail.example", "smtp://localhost:25",
		"smtp://a@[::1]:2525?tls=off"} {
		if err := Check(Options{Server: good, From: "post@share.example"}); err != nil {
			t.Errorf("Check(%q) = %v, want nil", good, err)
		}
	}
	if err := Check(Options{Server: "smtp://mail.example", From: "nobody"}); err == nil {
		t.Error("Check accepts an invalid sender")
	}
}
