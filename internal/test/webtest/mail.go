package webtest

import (
	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/test/mailtest"
	"vitrine/internal/web/httpx"
)

// Gatekeeper starts a mail server, to which the gates of links send.
func (s *Site) Gatekeeper() *mailtest.Server {
	s.T.Helper()
	m, sender := mailtest.New(s.T)
	g := s.Server.Gates
	box := &fleet.Outbox{Store: g.Store, Mailer: sender, Now: g.Now}
	box.Wake = func() { s.Check(box.Send(s.T.Context())) }
	g.Mail, g.Site = box, s.Server.PublicURL.Host
	g.Address = func(l *vitrine.Link, text string) string { return httpx.MailedURL(s.Server.PublicURL, l, text) }
	return m
}
