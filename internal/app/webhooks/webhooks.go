// Package webhooks sends the events of accounts to addresses that their owners
// name: as JSON with a signature (Standard Webhooks), or as text to a chat.
//
// A webhook looks at each event once and makes deliveries of those that it
// selects. A delivery is sent at least once, and those of a link in their
// order. All processes send. One process at a time has a webhook.
package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/links"
	"vitrine/internal/base/outbound"
	"vitrine/internal/base/signer"
	"vitrine/internal/filetype"
)

const (
	// MaxWebhooks is how many webhooks an account may have.
	MaxWebhooks = 20
	// MaxLinks is how many links a webhook may select.
	MaxLinks = 100
	// maxLabel is the longest label, in characters.
	maxLabel = 100
	// bothValid is how long the secret before is valid after a rotation.
	bothValid = 24 * time.Hour
	keySize   = 32
	// retention is how long deliveries are listed.
	retention = 30 * 24 * time.Hour
)

// secretPrefix begins the text of a secret (Standard Webhooks).
const secretPrefix = "whsec_"

// Test is the kind of a message that tests a webhook.
const Test vitrine.EventKind = "webhook.test"

// Service manages webhooks and sends their deliveries.
type Service struct {
	Store  vitrine.Store
	Signer *signer.Signer
	Leases *fleet.Leases // nil for a process that is alone on its store
	Now    func() time.Time
	Guard  *outbound.Guard
	// Addresses returns the public addresses of links and websites. Report
	// returns that of the report of a link. Manage returns that of a webhook.
	Addresses events.Addresses
	Report    func(vitrine.Slug) string
	Manage    func(vitrine.WebhookID) string
	Mail      *fleet.Outbox // nil: no mail is sent
	Site      string        // the name of the instance in mail
	// Fill adds recipients, and the data of events of views
	// (events.Service.Fill).
	Fill  func(context.Context, []events.Item) error
	Warn  func(error)   // called when the work of a webhook fails; may be nil
	Tried func(ok bool) // called after each try; may be nil
	// AnswerTime is how long one try may take; 0 means 15 seconds.
	AnswerTime time.Duration

	flights flights
}

// Request describes a webhook. Fields that are nil are not changed.
type Request struct {
	URL    *string
	Format *vitrine.WebhookFormat
	Label  *string
	Kinds  *[]vitrine.EventKind
	Links  *[]string // slugs
	Names  *bool
	On     *bool
}

// Details is a webhook with the slugs of its links. Secret is set only in the
// answer that has a new one. OldUntil is zero unless the old secret signs.
type Details struct {
	*vitrine.Webhook
	Slugs  []vitrine.Slug
	Secret string
	Lost   bool // the stored secret cannot be opened
}

var errNoWebhook = vitrine.Errorf(vitrine.CodeNotFound, "Your account has no such webhook.")

// own returns a webhook of an account.
func own(tx vitrine.Tx, a vitrine.AccountID, id vitrine.WebhookID) (*vitrine.Webhook, error) {
	w, err := tx.Webhook(id)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && w.Account != a {
		return nil, errNoWebhook
	}
	return w, err
}

func invalid(field, message string) error {
	return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field, Message: message}
}

// details adds what is shown of a webhook. One whose secret is lost is off.
func (s *Service) details(tx vitrine.Tx, w *vitrine.Webhook) (*Details, error) {
	d := &Details{Webhook: w, Slugs: []vitrine.Slug{}, Lost: s.lost(w)}
	if d.Lost && w.Off == "" {
		w.Off = vitrine.WebhookOffSecret
	}
	if s.oldKey(w) == nil {
		w.OldUntil = time.Time{}
	}
	links, err := tx.LinksByID(w.Links)
	for _, l := range links {
		if l.DeletedAt.IsZero() {
			d.Slugs = append(d.Slugs, l.Slug)
		}
	}
	slices.Sort(d.Slugs)
	return d, err
}

// List returns the webhooks of an account, oldest first.
func (s *Service) List(ctx context.Context, a *vitrine.Account) ([]*Details, error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*Details, error) {
		list := []*Details{}
		all, err := tx.Webhooks(a.ID)
		for _, w := range all {
			d, err := s.details(tx, w)
			if err != nil {
				return nil, err
			}
			list = append(list, d)
		}
		return list, err
	})
}

// lost reports whether the secret of a webhook cannot be opened.
func (s *Service) lost(w *vitrine.Webhook) bool {
	_, err := s.open(w, w.Secret)
	return err != nil
}

// oldKey returns the secret before, if it signs, or nil.
func (s *Service) oldKey(w *vitrine.Webhook) []byte {
	old, err := s.open(w, w.OldSecret)
	if err != nil || !s.Now().Before(w.OldUntil) {
		return nil
	}
	return old
}

// Get returns a webhook of an account. Error: CodeNotFound.
func (s *Service) Get(ctx context.Context, a *vitrine.Account, id vitrine.WebhookID) (*Details, error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*Details, error) {
		w, err := own(tx, a.ID, id)
		if err != nil {
			return nil, err
		}
		return s.details(tx, w)
	})
}

// Create creates a webhook, which sends events from now on. Errors:
// CodeInvalidRequest, CodeNotFound (a link).
func (s *Service) Create(ctx context.Context, a *vitrine.Account, r Request) (d *Details, err error) {
	if r.URL == nil {
		return nil, invalid("url", "Missing field \"url\" (string).")
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		all, err := tx.Webhooks(a.ID)
		if err == nil && len(all) >= MaxWebhooks {
			err = vitrine.Errorf(vitrine.CodeInvalidRequest, "Your account has %d webhooks already. Delete one first.",
				len(all))
		}
		if err != nil {
			return err
		}
		w := &vitrine.Webhook{Account: a.ID, CreatedAt: s.Now(), NextAt: s.Now()}
		if w.Seen, err = tx.LastEvent(a.ID); err != nil {
			return err
		}
		d, err = s.applied(tx, a, w, r, tx.AddWebhook)
		return err
	})
	return d, err
}

// applied changes a webhook as asked, stores it, and returns its details with
// the secret if that is new.
func (s *Service) applied(tx vitrine.Tx, a *vitrine.Account, w *vitrine.Webhook, r Request,
	store func(*vitrine.Webhook) error) (*Details, error) {
	secret, err := s.apply(tx, a, w, r)
	if err != nil {
		return nil, err
	}
	if err := store(w); err != nil {
		return nil, err
	}
	d, err := s.details(tx, w)
	if err != nil {
		return nil, err
	}
	d.Secret = secret
	return d, nil
}

// Edit changes a webhook. One that is turned on sends events from then on.
// Errors: CodeInvalidRequest, CodeNotFound.
func (s *Service) Edit(ctx context.Context, a *vitrine.Account, id vitrine.WebhookID,
	r Request) (d *Details, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		w, err := own(tx, a.ID, id)
		if err != nil {
			return err
		}
		d, err = s.applied(tx, a, w, r, func(w *vitrine.Webhook) error {
			if r.On != nil {
				if err := s.turn(tx, w, *r.On); err != nil {
					return err
				}
			}
			return tx.PutWebhook(w)
		})
		return err
	})
	return d, err
}

// turn turns a webhook on or off.
func (s *Service) turn(tx vitrine.Tx, w *vitrine.Webhook, on bool) (err error) {
	switch {
	case !on && w.Off == "":
		w.Off, w.OffAt = vitrine.WebhookOffOwner, s.Now()
	case on && s.lost(w):
		return invalid("enabled", "The secret of this webhook is lost. "+instead(w))
	case on && w.Off != "":
		w.Off, w.OffAt, w.Failures, w.NextAt = "", time.Time{}, 0, s.Now()
		if w.Seen, err = tx.LastEvent(w.Account); err != nil {
			return err
		}
		return tx.EndDeliveries(w.ID, "The webhook was off.")
	}
	return nil
}

// instead says what to do about a webhook whose secret is lost.
func instead(w *vitrine.Webhook) string {
	if w.Format == vitrine.WebhookStandard {
		return "Rotate the secret, and give the new one to the receiver."
	}
	return "Enter its address again."
}

// apply applies a request. It returns the secret if it is new.
func (s *Service) apply(tx vitrine.Tx, a *vitrine.Account, w *vitrine.Webhook, r Request) (secret string, err error) {
	if r.Label != nil {
		if w.Label = filetype.OneLine(*r.Label); len([]rune(w.Label)) > maxLabel {
			return "", invalid("label", fmt.Sprintf("The label is longer than %d characters.", maxLabel))
		}
	}
	if r.Kinds != nil {
		if w.Kinds, err = kindsOf(*r.Kinds); err != nil {
			return "", err
		}
	}
	if r.Links != nil {
		if w.Links, err = linksOf(tx, a, *r.Links, s.Now()); err != nil {
			return "", err
		}
	}
	if r.Names != nil {
		w.Names = *r.Names
	}
	if r.URL == nil && r.Format != nil && *r.Format != w.Format {
		return "", invalid("url", "Send the address again to change the format.")
	}
	if r.URL != nil {
		return s.address(w, r)
	}
	return "", nil
}

// address applies a new address and format.
func (s *Service) address(w *vitrine.Webhook, r Request) (secret string, err error) {
	u, err := s.Guard.Parse(*r.URL)
	if err != nil {
		return "", invalid("url", err.Error())
	}
	before := w.Format
	switch {
	case r.Format != nil:
		w.Format = *r.Format
	case before == "":
		w.Format = formatOf(u)
	}
	if !slices.Contains(formats, w.Format) {
		return "", invalid("format", "The format is standard, slack, discord or mattermost.")
	}
	if w.Off == vitrine.WebhookOffSecret && w.Format != vitrine.WebhookStandard {
		w.Off, w.OffAt = "", time.Time{}
	}
	if w.Format != vitrine.WebhookStandard { // who knows the address of a chat can write there
		w.URL, w.OldSecret, w.OldUntil = u.Scheme+"://"+u.Host+"/…", nil, time.Time{}
		w.Secret = s.seal(w, []byte(u.String()))
		return "", nil
	}
	w.URL = u.String()
	if before == w.Format {
		return "", nil
	}
	return s.newSecret(w), nil
}

// newSecret gives a webhook a new secret and returns its text.
func (s *Service) newSecret(w *vitrine.Webhook) string {
	key := make([]byte, keySize)
	rand.Read(key)
	w.Secret = s.seal(w, key)
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// seal encrypts a secret of a webhook, whose account owns it.
func (s *Service) seal(w *vitrine.Webhook, secret []byte) []byte {
	return s.Signer.Seal(secret, "webhook "+strconv.FormatInt(int64(w.Account), 10))
}

func (s *Service) open(w *vitrine.Webhook, sealed []byte) ([]byte, error) {
	return s.Signer.Open(sealed, "webhook "+strconv.FormatInt(int64(w.Account), 10))
}

// kindsOf checks selected kinds. It removes repetitions.
func kindsOf(list []vitrine.EventKind) (kinds []vitrine.EventKind, err error) {
	for _, k := range list {
		if err := events.CheckKind(k, "types"); err != nil {
			return nil, err
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}

// linksOf finds selected links.
func linksOf(tx vitrine.Tx, a *vitrine.Account, slugs []string, now time.Time) (ids []vitrine.LinkID, err error) {
	if len(slugs) > MaxLinks {
		return nil, invalid("links", fmt.Sprintf("A webhook can select %d links.", MaxLinks))
	}
	for _, slug := range slugs {
		l, err := links.OwnLinkByAnySlug(tx, a, slug, now)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, l.ID) {
			ids = append(ids, l.ID)
		}
	}
	return ids, nil
}

// Delete deletes a webhook. Error: CodeNotFound.
func (s *Service) Delete(ctx context.Context, a *vitrine.Account, id vitrine.WebhookID) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if _, err := own(tx, a.ID, id); err != nil {
			return err
		}
		return tx.DeleteWebhooks(a.ID, id)
	})
}

// Rotate gives a webhook a new secret. Messages have signatures with both for
// a day, unless the one before is lost. Errors: CodeInvalidRequest,
// CodeNotFound.
func (s *Service) Rotate(ctx context.Context, a *vitrine.Account, id vitrine.WebhookID) (d *Details, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		w, err := own(tx, a.ID, id)
		if err != nil {
			return err
		}
		if w.Format != vitrine.WebhookStandard {
			return invalid("format", "A webhook of a chat has no secret besides its address. Change the address instead.")
		}
		w.OldSecret, w.OldUntil = nil, time.Time{}
		if !s.lost(w) {
			w.OldSecret, w.OldUntil = w.Secret, s.Now().Add(bothValid)
		}
		if w.Off == vitrine.WebhookOffSecret {
			w.Off, w.OffAt = "", time.Time{}
		}
		secret := s.newSecret(w)
		if err := tx.PutWebhook(w); err != nil {
			return err
		}
		d, err = s.details(tx, w)
		if err == nil {
			d.Secret = secret
		}
		return err
	})
	return d, err
}

// Expire deletes old deliveries. It is background work.
func (s *Service) Expire(ctx context.Context) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		return tx.ExpireDeliveries(s.Now().Add(-retention))
	})
}
