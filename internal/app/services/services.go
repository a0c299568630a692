// Package services makes the use cases of an instance: all of them in one
// place, on the same ports and with the same clock.
package services

import (
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/events"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/ingest"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/notify"
	"vitrine/internal/app/publish"
	"vitrine/internal/app/recipients"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/base/outbound"
	"vitrine/internal/base/signer"
)

// Ports are what the services of an instance are built on.
type Ports struct {
	Store   vitrine.Store
	ViewLog vitrine.ViewLog
	Blobs   vitrine.Blobs
	Signer  *signer.Signer
	Now     func() time.Time

	// The rest is what a server has, and a command need not have.

	Views     *ingest.Views     // nil: nothing counts page loads of websites
	ViewIDs   *vitrine.ViewIDs  // nil where Views is
	Scanner   vitrine.Scanner   // nil means publish.NoScanner
	Previewer vitrine.Previewer // nil means vitrine.NoPreviewer
	Plans     vitrine.Plans     // nil where nothing is uploaded
	Outline   publish.Outline   // nil: no file has parts
	Leases    *fleet.Leases     // nil for a process that is alone on its store
}

// Services are the use cases of an instance. New sets the fields that they need
// to work; options of an instance are set afterwards.
type Services struct {
	Ports

	Accounts *auth.Accounts
	Sessions *auth.Sessions
	Keys     *auth.Keys
	Logins   *auth.Logins
	Grants   *auth.Grants

	Providers *auth.Providers // without any until a server has settings of them

	Uploads  *publish.Uploads
	Scans    *publish.Scans
	Previews *publish.Previews
	Captions *publish.Captions

	Gates      *access.Gates
	Links      *links.Service
	Versions   *links.Versions
	Recipients *recipients.Service
	Albums     *collections.Albums
	Sites      *collections.Sites
	Abuse      *moderation.AbuseReports
	Moderation *moderation.Service

	Events    *events.Service // without a log until a server makes events
	Webhooks  *webhooks.Service
	Notify    *notify.Service // without an outbox until a server sends mail
	Analytics *analytics.Service
	OwnViews  *analytics.OwnViews
	Shared    *analytics.Sharing
	SiteStats *collections.SiteStats // nil if page loads of websites are not counted

	accounts *accountLog
}

// New makes the services.
func New(p Ports) *Services {
	if p.Scanner == nil {
		p.Scanner = publish.NoScanner{}
	}
	if p.Previewer == nil {
		p.Previewer = vitrine.NoPreviewer{}
	}
	s := &Services{Ports: p, accounts: &accountLog{Store: p.Store}}
	s.Store = s.accounts
	s.people()
	s.files()
	s.numbers()
	return s
}

// people makes the services of accounts.
func (s *Services) people() {
	s.Sessions = &auth.Sessions{Store: s.Store, Signer: s.Signer, Now: s.Now}
	s.Accounts = &auth.Accounts{Store: s.Store, Sessions: s.Sessions, SignUp: auth.SignUpInvite, Leases: s.Leases,
		Now: s.Now}
	s.Sessions.Owners = s.Accounts
	s.Providers = &auth.Providers{Store: s.Store, Sessions: s.Sessions, Accounts: s.Accounts, Now: s.Now}
	s.Keys = &auth.Keys{Store: s.Store, Owners: s.Accounts, Now: s.Now}
	s.Logins = &auth.Logins{Store: s.Store, Keys: s.Keys, Signer: s.Signer, Now: s.Now}
	s.Grants = auth.NewGrants(s.Store, s.Keys, s.Signer, s.Now)
}

// files makes the services of files and links.
func (s *Services) files() {
	s.Gates = &access.Gates{Store: s.Store, Signer: s.Signer, Now: s.Now}
	s.Uploads = &publish.Uploads{Store: s.Store, Blobs: s.Blobs, Scanner: s.Scanner, Plans: s.Plans, Gates: s.Gates,
		Outline: s.Outline, Leases: s.Leases, Now: s.Now}
	s.Scans = &publish.Scans{Store: s.Store, Blobs: s.Blobs, Scanner: s.Scanner, Leases: s.Leases, Plans: s.Plans,
		Now: s.Now}
	s.Previews = &publish.Previews{Store: s.Store, Blobs: s.Blobs, Previewer: s.Previewer, Leases: s.Leases, Now: s.Now}
	s.Captions = &publish.Captions{Store: s.Store, Blobs: s.Blobs, Now: s.Now}
	s.Links = &links.Service{Store: s.Store, Blobs: s.Blobs, Log: s.ViewLog, Plans: s.Plans, Gates: s.Gates, Now: s.Now}
	s.Versions = &links.Versions{Store: s.Store, Plans: s.Plans, PurgeLink: s.Links.PurgeLink, Now: s.Now}
	s.Recipients = &recipients.Service{Store: s.Store, Plans: s.Plans, Gates: s.Gates, Now: s.Now}
	s.Albums = &collections.Albums{Store: s.Store, Gates: s.Gates, Now: s.Now}
	s.Sites = &collections.Sites{Store: s.Store, Links: s.Links, Plans: s.Plans, Now: s.Now}
	s.Accounts.Contents = collections.Contents{Store: s.Store, Links: s.Links, Now: s.Now}
	s.Abuse = &moderation.AbuseReports{Store: s.Store, Now: s.Now}
	s.Moderation = &moderation.Service{Store: s.Store, Now: s.Now}
}

// numbers makes the services of reports.
func (s *Services) numbers() {
	s.Analytics = &analytics.Service{Store: s.Store, Log: s.ViewLog, Signer: s.Signer, Now: s.Now}
	s.Webhooks = &webhooks.Service{Store: s.Store, Signer: s.Signer, Leases: s.Leases, Guard: new(outbound.Guard),
		Now: s.Now}
	s.Events = &events.Service{Store: s.Store, Visits: s.Analytics.VisitsAs, Report: s.Analytics.AccountDates,
		Now: s.Now}
	s.Webhooks.Fill = s.Events.Fill
	s.Notify = &notify.Service{Store: s.Store, Signer: s.Signer, Now: s.Now}
	s.Events.Mail = s.Notify.Mail
	s.OwnViews = &analytics.OwnViews{Store: s.Store, Log: s.ViewLog, Now: s.Now}
	s.Shared = &analytics.Sharing{Store: s.Store, Signer: s.Signer, Now: s.Now}
	if s.Views != nil {
		s.SiteStats = collections.NewSiteStats(collections.SiteStats{Store: s.Store, Log: s.ViewLog, Views: s.Views,
			IDs: s.ViewIDs, Now: s.Now})
	}
}
