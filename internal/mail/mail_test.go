package mail

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// office is a mail server with one account, ann with the password secret.
type office struct {
	t      *testing.T
	port   string
	roots  *x509.CertPool
	server *smtp.Server
	got    chan received
	refuse func() error // of a recipient
}

type received struct {
	from, to, user string
	tls            bool
	message        *netmail.Message
	body           string
}

type visit struct {
	o    *office
	conn *smtp.Conn
	l    received
}

func (o *office) NewSession(c *smtp.Conn) (smtp.Session, error) { return &visit{o: o, conn: c}, nil }

func (v *visit) AuthMechanisms() []string { return []string{sasl.Plain} }

func (v *visit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "ann" || password != "se:cr@t" {
			return smtp.ErrAuthFailed
		}
		v.l.user = user
		return nil
	}), nil
}

func (v *visit) Mail(from string, _ *smtp.MailOptions) error {
	v.l.from = from
	_, v.l.tls = v.conn.TLSConnectionState()
	return nil
}

func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.l.to = to
	if v.o.refuse != nil {
		return v.o.refuse()
	}
	return nil
}

func (v *visit) Data(r io.Reader) error {
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

func (v *visit) Reset()        { v.l = received{user: v.l.user} }
func (v *visit) Logout() error { return nil }

// newOffice opens a server on 127.0.0.1; secret: with STARTTLS; at once: with TLS from the first byte.
func newOffice(t *testing.T, secret, first bool) *office {
	t.Helper()
	o := &office{t: t, got: make(chan received, 300)}
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

func (o *office) certificate() *tls.Config {
	key, err1 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err2 := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	cert, err3 := x509.ParseCertificate(der)
	if err := errors.Join(err1, err2, err3); err != nil {
		o.t.Fatal(err)
	}
	o.roots = x509.NewCertPool()
	o.roots.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// log is what a sender has to say.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newSender(t *testing.T, server string, roots *x509.CertPool) (*Sender, *log) {
	t.Helper()
	l := new(log)
	s, err := New(Options{Server: server, From: "Vitrine <post@share.example>", Log: slog.New(slog.NewTextHandler(l, nil)), TLS: &tls.Config{RootCAs: roots}})
	if err != nil {
		t.Fatal(err)
	}
	s.pauses = []time.Duration{time.Millisecond, time.Millisecond}
	return s, l
}

// finish waits for everything that was to be sent.
func finish(s *Sender) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s.Close(ctx)
}

var reset = vitrine.Message{To: "bob.reader@example.org", Subject: "Choose a new password for share.exämple",
	Text: "Open this address:\n\nhttps://share.example/password/" + strings.Repeat("x", 90) + "\n\n.\n-- \nVitrine\n"}

// A message arrives as it was written, over TLS, from who has signed in.
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
			o := newOffice(t, c.secret, c.first)
			s, logged := newSender(t, c.scheme+"://"+c.user+"127.0.0.1:"+o.port+c.query, o.roots)
			s.Send(reset)
			finish(s)
			if logged.String() != "" {
				t.Fatal(logged)
			}
			l := <-o.got
			if l.from != "post@share.example" || l.to != reset.To || l.tls != (c.tls && !c.first) && !c.first || c.user != "" && l.user != "ann" {
				t.Errorf("%+v", l)
			}
			if l.body != reset.Text {
				t.Errorf("%q", l.body)
			}
			h := l.message.Header
			if h.Get("Auto-Submitted") != "auto-generated" || !strings.HasPrefix(h.Get("Content-Type"), "text/plain") || !strings.HasSuffix(h.Get("Message-ID"), "@share.example>") ||
				h.Get("Date") == "" || h.Get("From") != `"Vitrine" <post@share.example>` || h.Get("User-Agent")+h.Get("X-Mailer") != "" {
				t.Errorf("%v", h)
			}
		})
	}
}

// What is not safe is not done: no password over a line that anybody reads, no certificate that nobody knows.
func TestSendRefuses(t *testing.T) {
	o := newOffice(t, false, false)
	for name, server := range map[string]string{"no STARTTLS, and a password": "smtp://ann:se%3Acr%40t@127.0.0.1:" + o.port, "wrong password": "smtp://ann:x@127.0.0.1:" + o.port + "?tls=off"} {
		s, logged := newSender(t, server, o.roots)
		if name != "wrong password" { // as if the host were another machine
			opts, _, err := clientOptions("smtp://ann:se%3Acr%40t@mail.example:"+o.port, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.client = opts
		}
		s.pauses = nil
		s.Send(reset)
		finish(s)
		if len(o.got) > 0 || !strings.Contains(logged.String(), "a message was not sent") {
			t.Errorf("%s: %d messages, %s", name, len(o.got), logged)
		}
		if strings.Contains(logged.String(), "bob") || strings.Contains(logged.String(), "cr@t") {
			t.Errorf("%s: %s", name, logged)
		}
	}
	secret := newOffice(t, true, false)
	s, logged := newSender(t, "smtp://127.0.0.1:"+secret.port, x509.NewCertPool())
	s.pauses = nil
	s.Send(reset)
	finish(s)
	if len(secret.got) > 0 || !strings.Contains(logged.String(), "certificate") {
		t.Errorf("an unknown certificate: %d messages, %s", len(secret.got), logged)
	}
}

// What the server does not take now is tried again, and what it never takes is not; the log does not say whose it was.
func TestSendAgain(t *testing.T) {
	o := newOffice(t, false, false)
	tries := 0
	o.refuse = func() error {
		if tries++; tries < 3 {
			return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "bob.reader@example.org: come again"}
		}
		return nil
	}
	s, logged := newSender(t, "smtp://127.0.0.1:"+o.port, nil)
	s.Send(reset)
	<-o.got
	finish(s)
	if tries != 3 || strings.Count(logged.String(), "451") != 2 || strings.Contains(logged.String(), "bob") {
		t.Errorf("%d tries, %s", tries, logged)
	}
	tries = 0
	o.refuse = func() error {
		tries++
		return &smtp.SMTPError{Code: 550, Message: "no Bob.Reader@example.org here"}
	}
	s, logged = newSender(t, "smtp://127.0.0.1:"+o.port, nil)
	s.Send(reset)
	finish(s)
	if tries != 1 || !strings.Contains(logged.String(), "550") || strings.Contains(strings.ToLower(logged.String()), "bob") {
		t.Errorf("%d tries, %s", tries, logged)
	}
}

// What a server puts off keeps nothing else: the rest goes out meanwhile, however much is put off, and the end does not wait for it.
func TestPutOffKeepsNothing(t *testing.T) {
	o := newOffice(t, false, false)
	var first atomic.Bool // the ones that are put off, for ever
	first.Store(true)
	o.refuse = func() error {
		if first.Load() {
			return &smtp.SMTPError{Code: 450, Message: "later"}
		}
		return nil
	}
	s, logged := newSender(t, "smtp://127.0.0.1:"+o.port, nil)
	s.pauses = []time.Duration{time.Hour}
	logs := func(what string, n int) {
		t.Helper()
		tick, end := time.NewTicker(time.Millisecond), time.After(20*time.Second)
		defer tick.Stop()
		for strings.Count(logged.String(), what) < n {
			select {
			case <-tick.C:
			case <-end:
				t.Fatalf("%d × %s: %s", n, what, logged)
			}
		}
	}
	for range putOff + 1 {
		s.Send(reset)
	}
	logs("again=true", putOff)
	logs("again=false", 1)
	first.Store(false)
	s.Send(vitrine.Message{To: "eve@example.org", Subject: "x", Text: "x\n"})
	if l := <-o.got; l.to != "eve@example.org" {
		t.Errorf("%+v", l)
	}
	finish(s)
	if len(s.fresh)+len(s.later)+len(s.queue) != 0 || strings.Contains(logged.String(), "too many wait") {
		t.Errorf("%d, %d and %d are there after the end; %s", len(s.fresh), len(s.later), len(s.queue), logged)
	}
}

// A server that is down, or says nothing, costs whoever sends no time, and ends by itself.
func TestServerDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // it is never answered
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for name, addr := range map[string]net.Addr{"down": gone.Addr(), "hanging": l.Addr()} {
		s, logged := newSender(t, "smtp://"+addr.String(), nil)
		s.pauses, s.step = nil, 50*time.Millisecond
		for range atOnce {
			s.Send(reset)
		}
		finish(s)
		if n := strings.Count(logged.String(), "a message was not sent"); n != atOnce || strings.Contains(logged.String(), "bob") {
			t.Errorf("%s: %d, %s", name, n, logged)
		}
	}
	// What waits is bounded.
	s, logged := newSender(t, "smtp://"+l.Addr().String(), nil)
	s.step = 20 * time.Millisecond
	s.pauses = nil
	for range 2 * waiting {
		s.Send(reset)
	}
	if !strings.Contains(logged.String(), "too many wait") {
		t.Error("any number of messages waits")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Close(ctx)
	s.Send(reset) // and nothing after
}

func TestOptions(t *testing.T) {
	for _, bad := range []string{"", "mail.example", "mail.example:587", "http://mail.example", "smtp://", "smtp://mail.example/path", "smtp://mail.example:x", "smtp://mail.example:99999",
		"smtp://a:b@mail.example?tls=maybe", "smtps://mail.example?tls=off", "smtp://a:secret@[", "smtp://mail.example?tls=off&x=y"} {
		if _, _, err := clientOptions(bad, nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{"smtp://mail.example", "smtps://a:b@mail.example", "smtp://localhost:25", "smtp://a@[::1]:2525?tls=off"} {
		if err := Check(Options{Server: good, From: "post@share.example"}); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	if err := Check(Options{Server: "smtp://mail.example", From: "nobody"}); err == nil {
		t.Error("from nobody")
	}
}
