// Package export writes a ZIP archive of all that an account has.
package export

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/app/events"
	"vitrine/report"
)

// Blobs is what this package uses of [vitrine.Blobs].
type Blobs interface {
	Open(ctx context.Context, key vitrine.UploadID) (vitrine.Blob, error)
}

// Exporter exports everything that an instance stores about an account, for its
// owner, once.
type Exporter struct {
	Store     vitrine.Store
	Blobs     Blobs
	Analytics *analytics.Service
	Events    *events.Service
	URL       func(vitrine.Slug) string
	Now       func() time.Time
	// Website returns the report of a website over all time, or nil if websites
	// are not counted.
	Website func(context.Context, *vitrine.Site) (*report.AccountReport, error)

	buffer []byte // of the bytes of each file
}

// exportPage bounds the links that are read at once.
const exportPage = 100

// Write writes an archive: account.json, links.csv, events.ndjson, and if there
// are any, recipients.csv, readers.csv, webhooks.json, versions.json,
// notes.json, albums.json and websites.json; analytics/{slug}.json and
// analytics/websites/{slug}.json if the plan has analytics;
// files/{slug}/{name}, including versions of websites; and earlier versions of
// links as files/{slug}/versions/{number}/{name}. No file is held in memory.
// Files that were deleted during the export, or are withheld from their owner,
// are listed in missing.txt. Write does not close z.
func (e *Exporter) Write(ctx context.Context, a *vitrine.Account, z *zip.Writer) error {
	if err := e.account(ctx, a, z); err != nil {
		return err
	}
	links, err := e.links(ctx, a)
	if err != nil {
		return err
	}
	if err := errors.Join(e.list(ctx, links, z), e.events(ctx, a, z)); err != nil {
		return err
	}
	if err := errors.Join(e.recipients(ctx, links, z), e.webhooks(ctx, a, z)); err != nil {
		return err
	}
	if err := e.collections(ctx, a, z); err != nil {
		return err
	}
	if err := errors.Join(e.versions(links, z), e.notes(links, z), e.readers(ctx, a, links, z)); err != nil {
		return err
	}
	folders := foldersOf(links)
	var missing []string
	for _, l := range links {
		folder := folders[l.ID]
		if folder == "" {
			continue // the current version, which is its link's
		}
		if a.Plan.Pro() && !l.OfLink() {
			if err := e.report(ctx, a, l, z); err != nil {
				return err
			}
		}
		there, err := e.file(ctx, l, folder, z)
		if err != nil {
			return err
		}
		if !there {
			missing = append(missing, folder+"\t"+l.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	w, err := e.begin(z, "missing.txt", zip.Deflate, e.Now())
	if err == nil {
		_, err = io.WriteString(w, strings.Join(missing, "\n")+"\n")
	}
	return err
}

func (e *Exporter) begin(z *zip.Writer, name string, method uint16, at time.Time) (io.Writer, error) {
	return z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: at})
}

func (e *Exporter) json(z *zip.Writer, name string, v any) error {
	w, err := e.begin(z, name, zip.Deflate, e.Now())
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

type exportedKey struct {
	Name      string     `json:"name"`
	Last4     string     `json:"last4"`
	CreatedAt time.Time  `json:"createdAt"`
	UsedAt    *time.Time `json:"usedAt"`
	EndedAt   *time.Time `json:"endedAt"`
}

// exportedEvent is an event of keys, sign-ins or passwords.
type exportedEvent struct {
	At     time.Time         `json:"at"`
	Action vitrine.Action    `json:"action"`
	By     vitrine.ActorKind `json:"by"`
	Detail string            `json:"detail,omitempty"`
}

type exportedPasskey struct {
	Name      string     `json:"name"`
	CreatedAt time.Time  `json:"createdAt"`
	UsedAt    *time.Time `json:"usedAt"`
	Domain    string     `json:"domain"`
	Synced    bool       `json:"synced"` // it can leave its device
}

type exportedProvider struct {
	Issuer    string    `json:"issuer"`
	Subject   string    `json:"subject"`
	Email     string    `json:"email"`
	CreatedAt time.Time `json:"createdAt"`
}

type exportedSession struct {
	Browser   string    `json:"browser"`
	CreatedAt time.Time `json:"createdAt"`
	UsedAt    time.Time `json:"usedAt"`
}

// account writes the account, its keys and its sessions, without secrets.
func (e *Exporter) account(ctx context.Context, a *vitrine.Account, z *zip.Writer) error {
	var v struct {
		Email     string             `json:"email"`
		Plan      vitrine.Plan       `json:"plan"`
		Limits    *vitrine.Limits    `json:"limits"`
		Role      vitrine.Role       `json:"role"`
		NoMail    string             `json:"noMail,omitempty"` // kinds of mail that are switched off
		TwoStep   *time.Time         `json:"twoStepSince"`     // null if a password is enough
		Passkeys  []exportedPasskey  `json:"passkeys,omitempty"`
		Providers []exportedProvider `json:"providers"`
		CreatedAt time.Time          `json:"createdAt"`
		Keys      []exportedKey      `json:"keys"`
		Sessions  []exportedSession  `json:"sessions"`
		Activity  []exportedEvent    `json:"activity"`
		Exported  time.Time          `json:"exportedAt"`
	}
	v.NoMail = a.NoMail
	if f, err := factor.Parse(a.Factor); err == nil {
		v.TwoStep, v.Passkeys = &f.Since, passkeys(f)
	}
	v.Email, v.Plan, v.Limits, v.Role, v.CreatedAt, v.Exported = a.Email, a.Plan, a.Limits, a.Role, a.CreatedAt,
		e.Now().UTC()
	err := e.Store.Read(ctx, func(tx vitrine.Tx) error {
		keys, err := tx.Keys(a.ID)
		if err != nil {
			return err
		}
		v.Keys, v.Sessions = []exportedKey{}, []exportedSession{}
		for _, k := range keys {
			end := k.RevokedAt
			if end.IsZero() {
				end = k.ExpiresAt
			}
			v.Keys = append(v.Keys, exportedKey{k.Name, k.Last4, k.CreatedAt, timeOrNil(k.UsedAt), timeOrNil(end)})
		}
		sessions, err := tx.Sessions(a.ID)
		for _, s := range sessions {
			if s.Half {
				continue
			}
			v.Sessions = append(v.Sessions, exportedSession{s.Label, s.CreatedAt, s.UsedAt})
		}
		if err != nil {
			return err
		}
		if v.Providers, err = providers(tx, a.ID); err != nil {
			return err
		}
		events, err := tx.Changes(vitrine.ChangeQuery{Account: a.ID, Activity: true})
		v.Activity = []exportedEvent{}
		for _, c := range events {
			v.Activity = append(v.Activity, exportedEvent{c.At, c.Action, c.By.Kind, c.Detail})
		}
		return err
	})
	if err != nil {
		return err
	}
	return e.json(z, "account.json", v)
}

// passkeys returns the passkeys of a second factor.
func passkeys(f factor.State) (all []exportedPasskey) {
	for _, p := range f.Passkeys {
		all = append(all, exportedPasskey{p.Name, p.Since, timeOrNil(p.Used), p.Domain, p.Synced})
	}
	return all
}

// providers returns at which providers a person signs in.
func providers(tx vitrine.IdentityTx, a vitrine.AccountID) ([]exportedProvider, error) {
	list, err := tx.Identities(a)
	all := []exportedProvider{}
	for _, i := range list {
		all = append(all, exportedProvider{i.Issuer, i.Subject, i.Email, i.CreatedAt})
	}
	return all, err
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// links returns the links of an account, newest first, and then those in the
// trash.
func (e *Exporter) links(ctx context.Context, a *vitrine.Account) (all []*vitrine.Link, err error) {
	for _, q := range []vitrine.LinkQuery{{}, {Trash: true, Sort: vitrine.SortDeleted}} {
		q.Account, q.Limit = a.ID, exportPage
		some, err := e.pages(ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// pages returns the links that a query selects, page by page.
func (e *Exporter) pages(ctx context.Context, q vitrine.LinkQuery) (all []*vitrine.Link, err error) {
	for {
		some, err := vitrine.Read(ctx, e.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) {
			return tx.Links(q)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) < exportPage {
			return all, nil
		}
		last := some[len(some)-1]
		q.Before = vitrine.LinkCursor{CreatedAt: last.CreatedAt, ID: last.ID}
		if q.Trash {
			q.Before.CreatedAt = last.DeletedAt
		}
	}
}

// list writes a table of the links, for programs and for spreadsheets.
func (e *Exporter) list(ctx context.Context, links []*vitrine.Link, z *zip.Writer) error {
	gates := make([]vitrine.GateCounts, len(links))
	err := e.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		for i, l := range links {
			if err == nil && l.Standalone() {
				gates[i], err = tx.GateCounts(l.ID)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	w, err := e.begin(z, "links.csv", zip.Deflate, e.Now())
	if err != nil {
		return err
	}
	c := NewCSV(w)
	rows := [][]string{{"slug", "url", "title", "file", "type", "kind", "bytes", "sha256", "status", "created_at",
		"download", "password", "email", "readers", "gate_shown", "gate_passed", "deleted_at", "labels"}}
	for i, l := range links {
		if !l.Standalone() {
			continue
		}
		rows = append(rows, []string{string(l.Slug), e.URL(l.Slug), l.Title, l.Name, l.Type, string(l.Kind),
			strconv.FormatInt(l.Size, 10), l.SHA256,
			string(l.State), l.CreatedAt.UTC().Format(time.RFC3339), strconv.FormatBool(l.AllowDownload)})
		last := &rows[len(rows)-1]
		*last = append(append(*last, protection(l.Access)...), strconv.FormatInt(gates[i].Shown, 10),
			strconv.FormatInt(gates[i].Passed, 10), stampOrNone(l.DeletedAt), strings.Join(l.Labels.All(), ", "))
	}
	for _, row := range rows {
		if err := c.Write(row); err != nil {
			return err
		}
	}
	return c.Flush()
}

// protection returns what readers need, for tables.
func protection(a vitrine.Access) []string {
	return []string{strconv.FormatBool(a.Password != ""), strconv.FormatBool(a.Email.On), strconv.Itoa(a.Readers)}
}

// stampOrNone returns a time, or "" if there is none.
func stampOrNone(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// events writes an event on each line, as the API lists it, with the slug of
// its link.
func (e *Exporter) events(ctx context.Context, a *vitrine.Account, z *zip.Writer) error {
	w, err := e.begin(z, "events.ndjson", zip.Deflate, e.Now())
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return e.Events.Each(ctx, a, func(i events.Item) error {
		line := struct {
			ID   string            `json:"id"`
			Type vitrine.EventKind `json:"type"`
			At   time.Time         `json:"at"`
			Link vitrine.Slug      `json:"link,omitempty"`
			Data json.RawMessage   `json:"data"`
		}{ID: i.Name(), Type: i.Kind, At: i.At, Data: i.Data}
		if of := i.Form(events.Addresses{Link: e.URL, Site: e.URL}).Link; of != nil {
			line.Link = of.Slug
		}
		return enc.Encode(line)
	})
}

// report writes the report over a link's whole time, as the API returns it.
func (e *Exporter) report(ctx context.Context, a *vitrine.Account, l *vitrine.Link, z *zip.Writer) error {
	r, err := e.Analytics.Link(ctx, a, string(l.Slug), analytics.In(report.RangeAll))
	if vitrine.CodeOf(err) == vitrine.CodeNotFound {
		return nil // deleted concurrently
	}
	if err != nil {
		return err
	}
	return e.json(z, "analytics/"+string(l.Slug)+".json", r)
}

// file writes the uploaded bytes of a link. It reports whether they exist.
func (e *Exporter) file(ctx context.Context, l *vitrine.Link, folder string, z *zip.Writer) (bool, error) {
	if !l.HasBytes || access.Withheld(l) != nil {
		return false, nil
	}
	blob, err := e.Blobs.Open(ctx, l.Upload)
	if errors.Is(err, vitrine.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer blob.Close()
	// Most kinds of file are compressed already. A name has no separators
	// (contract, File names).
	w, err := e.begin(z, path.Join("files", folder, l.Name), zip.Store, l.CreatedAt)
	if err != nil {
		return false, err
	}
	if e.buffer == nil {
		e.buffer = make([]byte, 64<<10)
	}
	from := io.NewSectionReader(blob, 0, blob.Size())
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := from.Read(e.buffer)
		if _, err := w.Write(e.buffer[:n]); err != nil {
			return false, err
		}
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
}
