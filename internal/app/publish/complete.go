package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
	"vitrine/internal/filetype/inspect"
)

// CompleteRequest is the body of step 3. A nil field was not sent.
type CompleteRequest struct {
	Path, Name, Type               string
	LinkName, Slug, IdempotencyKey *string
	AllowDownload                  *bool
	Website                        string        // that of step 1
	Key                            vitrine.KeyID // of the request; 0 means a browser session
	Client                         string        // the program that sends it, as it names itself
	LinkLife                       time.Duration // how long the link may be public (vitrine.APIKey)
	Replaces                       string        // the link of step 1, by its slug
	Precondition                   links.Condition
	ExpiresAt                      *time.Time // when the link expires; nil or the zero time: never
}

// Complete creates the link of an upload whose bytes are stored. It seals the
// bytes, checks that they are of the type that the name says, scans them, and
// checks the plan's limits, all or nothing. Every retry returns the same link,
// even if many run at once. If a check refuses the file, its bytes are deleted,
// and later retries return the same refusal.
//
// Errors: the 400, 403 and 429 rows of the contract.
func (s *Uploads) Complete(ctx context.Context, a *vitrine.Account, r CompleteRequest) (*vitrine.Link, error) {
	if r.Slug != nil {
		if err := a.MayChooseSlug(); err != nil {
			return nil, err
		}
	}
	link, err := s.requestedLink(r)
	if err != nil {
		return nil, err
	}
	if err := r.onlyFile(); err != nil {
		return nil, err
	}
	u, l, err := s.find(ctx, a, r)
	if err != nil || l != nil {
		return l, err
	}
	return s.checkOnce(ctx, u.ID, func(c *check) (*vitrine.Link, error) {
		ctx := context.WithoutCancel(ctx)
		l, err := s.publish(ctx, c, u, link, r.Precondition)
		if code := vitrine.CodeOf(err); code == vitrine.CodeInternal || code == vitrine.CodeUnavailable {
			// Another process may have ended the upload, and taken its bytes.
			made, ended := s.answerWithoutBytes(ctx, u)
			switch vitrine.CodeOf(ended) {
			case vitrine.CodeInternal, vitrine.CodeUnavailable, vitrine.CodeUploadIncomplete:
			default:
				return made, ended
			}
		}
		return l, err
	})
}

// requestedLink returns the link that a request describes.
func (s *Uploads) requestedLink(r CompleteRequest) (l vitrine.Link, err error) {
	l = vitrine.Link{Title: r.Name, AllowDownload: r.AllowDownload == nil || *r.AllowDownload, Key: r.Key,
		Client: r.Client}
	if r.LinkName != nil {
		if l.Title, err = vitrine.ParseTitle(*r.LinkName); err != nil {
			return l, err
		}
	}
	l.ExpiresAt, err = r.expiry(s.Now())
	return l, err
}

// expiry returns when the link of a request expires, or the zero time if never.
func (r *CompleteRequest) expiry(now time.Time) (at time.Time, err error) {
	most := now.Add(r.LinkLife)
	if r.LinkLife > 0 {
		at = most
	}
	if r.ExpiresAt != nil {
		at = r.ExpiresAt.Truncate(time.Millisecond)
	}
	wrong := func(message string) error {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "expiresAt", Message: message}
	}
	switch {
	case r.LinkLife > 0 && (at.IsZero() || at.After(most)):
		return at, wrong("This API key limits how long links are public: one that is made now until " +
			most.UTC().Format(time.RFC3339) + " at most.")
	case !at.IsZero() && !at.After(now):
		return at, wrong("The link would have expired already. Choose a later time.")
	}
	return at, nil
}

// find reads the upload that r names, and its link if that exists already.
func (s *Uploads) find(ctx context.Context, a *vitrine.Account,
	r CompleteRequest) (u *vitrine.Upload, l *vitrine.Link, err error) {
	unknown := vitrine.ErrUploadUnknown
	id, ok := vitrine.ParseUploadID(r.Path)
	if !ok {
		return nil, nil, unknown
	}
	var slug vitrine.Slug
	if r.Slug != nil {
		if slug, err = vitrine.ParseSlug(*r.Slug); err != nil {
			return nil, nil, err
		}
	}
	var key string
	if r.IdempotencyKey != nil {
		if key, err = parseIdempotencyKey(*r.IdempotencyKey); err != nil {
			return nil, nil, err
		}
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		u, err = tx.Upload(id)
		if errors.Is(err, vitrine.ErrNotFound) || err == nil && u.Account != a.ID {
			return unknown
		}
		if err != nil {
			return err
		}
		if err := s.checkSame(tx, a, u, r, slug, key); err != nil {
			return err
		}
		switch u.State {
		case vitrine.UploadFailed:
			return u.FailureError()
		case vitrine.UploadDone:
			l, err = tx.Link(u.Link)
			if errors.Is(err, vitrine.ErrNotFound) || err == nil && !l.DeletedAt.IsZero() {
				return unknown
			}
			return err
		}
		if s.Now().Sub(u.CreatedAt) >= vitrine.UploadLife {
			return unknown
		}
		return nil
	})
	return u, l, err
}

// checkSame returns an error if step 3 differs from step 1.
func (s *Uploads) checkSame(tx vitrine.Tx, a *vitrine.Account, u *vitrine.Upload, r CompleteRequest, slug vitrine.Slug,
	key string) error {
	mismatch := func(field string) error {
		return &vitrine.Error{Code: vitrine.CodeIdempotencyMismatch, Field: field,
			Message: "The " + field + " differs from the one of step 1. Send the same one."}
	}
	switch {
	case u.Name != r.Name:
		return mismatch("name")
	case u.Type != r.Type:
		return mismatch("type")
	case u.Slug != slug:
		return mismatch("slug")
	case key != "" && u.IdempotencyKey != key:
		return mismatch("idempotencyKey")
	case (u.Site == 0) != (r.Website == ""):
		return mismatch("website")
	case (u.Replaces == 0) != (r.Replaces == ""):
		return mismatch("replace")
	case u.Site != 0:
		to := vitrine.Upload{}
		err := deploysTo(tx, a, &to, r.Website)
		if err == nil && to.Site != u.Site {
			err = mismatch("website")
		}
		return err
	case u.Replaces == 0:
		return nil
	}
	m, err := s.replaced(tx, a, r.Replaces)
	if err == nil && m.ID != u.Replaces {
		err = mismatch("replace")
	}
	return err
}

// publish checks the stored bytes of an upload and creates its link. made has
// the values from the request.
func (s *Uploads) publish(ctx context.Context, c *check, u *vitrine.Upload, made vitrine.Link,
	expected links.Condition) (*vitrine.Link, error) {
	info, err := s.Blobs.Stat(ctx, u.ID)
	if errors.Is(err, vitrine.ErrNotFound) {
		return s.answerWithoutBytes(ctx, u)
	}
	if err != nil {
		return nil, vitrine.Unavailable(err)
	}
	if info.Size != u.Size {
		return nil, s.fail(ctx, u, vitrine.Errorf(vitrine.CodeSizeMismatch,
			"The stored file has %d bytes; %d were announced.", info.Size, u.Size))
	}
	// If the process dies after this, the upload is still open: a retry seals
	// again, or the sweep deletes the bytes.
	if info, err = s.Blobs.Seal(ctx, u.ID); err != nil {
		return nil, vitrine.Unavailable(err)
	}
	l := &made
	l.Account, l.Upload, l.Slug, l.Name, l.Type, l.Size, l.Site, l.Of = u.Account, u.ID, u.Slug, u.Name, u.Type, u.Size,
		u.Site, u.Replaces
	l.SHA256, l.HasBytes = info.SHA256, true
	if l.Site != 0 {
		l.AllowDownload, l.Preview = false, vitrine.PreviewDone // a website has no page for downloads or previews
	}
	if err := s.check(ctx, c, l); err != nil {
		if code := vitrine.CodeOf(err); code == vitrine.CodeInternal || code == vitrine.CodeUnavailable {
			return nil, err
		}
		return nil, s.fail(ctx, u, err)
	}
	unused, err := s.commit(ctx, u, l, expected)
	if err != nil {
		switch vitrine.CodeOf(err) {
		case vitrine.CodeLinkLimit, vitrine.CodeStorageLimit, vitrine.CodeFileTooLarge, vitrine.CodeSlugTaken,
			vitrine.CodeProRequired, vitrine.CodeNotFound, vitrine.CodeForbidden,
			vitrine.CodeInvalidRequest, vitrine.CodePreconditionFailed:
			return nil, s.fail(ctx, u, err)
		}
		return nil, err
	}
	if unused {
		_ = links.PurgeSpare(ctx, s.Store, s.Blobs, vitrine.SpareFile{Key: u.ID}) // or a later one does
	}
	if s.Wake != nil {
		s.Wake()
	}
	return l, nil
}

// answerWithoutBytes returns the answer for an upload without stored bytes,
// which may have ended since it was read.
func (s *Uploads) answerWithoutBytes(ctx context.Context, u *vitrine.Upload) (l *vitrine.Link, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		current, err := tx.Upload(u.ID)
		switch {
		case err != nil:
			return err
		case current.State == vitrine.UploadDone:
			l, err = tx.Link(current.Link)
			return err
		case current.State == vitrine.UploadFailed:
			return current.FailureError()
		}
		return &vitrine.Error{Code: vitrine.CodeUploadIncomplete, Field: "path",
			Message: "The file has not arrived yet. PUT it to the signed URL, then complete again."}
	})
	return l, err
}

// completeScanTime is how long Complete waits for the scanner, since its caller
// waits too. A file that takes longer goes to review.
const completeScanTime = 2 * time.Minute

// check inspects and scans sealed bytes, and sets the kind, pages, SHA-256 and
// state of the link.
func (s *Uploads) check(ctx context.Context, c *check, l *vitrine.Link) error {
	t, err := filetype.ByName(l.Name, l.Type)
	if err != nil {
		return fileError(err)
	}
	blob, err := s.Blobs.Open(ctx, l.Upload)
	if err != nil {
		return vitrine.Unavailable(err)
	}
	defer blob.Close()
	facts, err := s.inspectInTurn(c, l, blob, t)
	if err != nil {
		if err = fileError(err); vitrine.CodeOf(err) == vitrine.CodeInternal {
			return vitrine.Unavailable(err)
		}
		return err
	}
	if l.SHA256 == "" {
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(blob, 0, blob.Size())); err != nil {
			return vitrine.Unavailable(err)
		}
		l.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	l.Kind, l.Pages, l.State = t.Kind, facts.Pages, vitrine.StateLive
	if facts.SoundOnly {
		l.Kind = filetype.Audio
	}
	switch {
	case facts.Hold != "":
		l.Hold(facts.Hold, facts.Detail)
	case l.Kind == filetype.Video:
		l.State = vitrine.StateProcessing // scanned in the background
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, completeScanTime)
	defer cancel()
	verdict, signatures, err := scanBytes(ctx, s.Scanner, blob)
	l.Scanned = signatures
	switch {
	case err != nil:
		l.Hold(unscanned(err))
	case verdict.Result == vitrine.ScanMalware:
		return &vitrine.Error{Code: vitrine.CodeMalware, Reason: vitrine.ReasonMalware,
			Message: "The safety scan found malware in this file: " + verdict.Signature + "."}
	case verdict.Result == vitrine.ScanSuspicious:
		l.Hold(vitrine.ReasonSuspicious, verdict.Signature)
	}
	return nil
}

// inspectBytes inspects a link's bytes, and counts the files of a version of a
// website.
func inspectBytes(l *vitrine.Link, b vitrine.Blob, t filetype.Type) (filetype.Facts, error) {
	if l.Site == 0 {
		return inspect.Inspect(b, b.Size(), t)
	}
	site, facts, err := inspect.InspectSite(b, b.Size())
	if err == nil {
		l.Files = int64(len(site.Files))
	}
	return facts, err
}

// commit creates the link or version and ends the upload, in one transaction.
// If another process did so first, l becomes its link. unused reports whether
// the bytes are not needed.
func (s *Uploads) commit(ctx context.Context, u *vitrine.Upload, l *vitrine.Link,
	expected links.Condition) (unused bool, err error) {
	checked := *l
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		*l, unused = checked, false
		now := s.Now()
		current, err := tx.Upload(u.ID)
		if err != nil {
			return err
		}
		switch current.State {
		case vitrine.UploadDone:
			made, err := tx.Link(current.Link)
			if err == nil {
				*l = *made
			}
			return err
		case vitrine.UploadFailed:
			return current.FailureError()
		}
		if err := s.admit(tx, current, now, false); err != nil {
			if e := new(vitrine.Error); errors.As(err, &e) && e.Held != nil {
				e.RetryAfter = 0 // this upload ends with the refusal
			}
			return err
		}
		if current.Replaces != 0 {
			unused, err = s.replace(tx, current, l, expected, now)
			return err
		}
		l.Slug, l.CreatedAt, l.StateAt = current.Slug, now, now
		var site *vitrine.Site
		if l.Site != 0 {
			if site, err = openSite(tx, current); err != nil {
				return err
			}
			l.Title = site.Title
		}
		if err := s.holdKnown(tx, l); err != nil {
			return err
		}
		if err := l.Add(tx, l.InitialActor()); err != nil {
			return err
		}
		if site != nil {
			if err := site.Deploy(tx, l, now); err != nil {
				return err
			}
		}
		return s.end(tx, current, l, false, now)
	})
	return unused, err
}

// end ends an upload that has made a link. Unused bytes are spare from now on.
func (s *Uploads) end(tx vitrine.UploadTx, u *vitrine.Upload, l *vitrine.Link, unused bool, now time.Time) error {
	u.State, u.Link, u.HoldUntil = vitrine.UploadDone, l.ID, time.Time{}
	if unused {
		u.HoldUntil = now
	}
	return tx.PutUpload(u)
}

// holdKnown holds a link if the same bytes, on any account, were disabled or
// are held as malware or because of abuse reports. This reason replaces that of
// an impossible scan.
func (s *Uploads) holdKnown(tx vitrine.LinkTx, l *vitrine.Link) error {
	bad, err := tx.BytesRefused(l.SHA256)
	if !bad {
		return err
	}
	switch l.Reason {
	case "", vitrine.ReasonScanUnavailable, vitrine.ReasonScanSlow, vitrine.ReasonScanLimit:
		l.State, l.Reason, l.Detail = vitrine.StateReview, vitrine.ReasonKnownBytes, ""
	}
	return err
}

// refusal returns the entry in the history for a dangerous file, so that
// moderators see who sends such files. It is nil for any other failure.
func refusal(u *vitrine.Upload, e *vitrine.Error) *vitrine.Change {
	by := vitrine.Actor{Kind: vitrine.ActorInspection}
	switch e.Code {
	case vitrine.CodeMalware:
		by.Kind = vitrine.ActorScanner
	case vitrine.CodeUnsafeFile:
	default:
		return nil
	}
	return &vitrine.Change{By: by, Action: vitrine.ActionRefuse, Account: u.Account, Reason: e.Reason, Detail: u.Name,
		Note: e.Message}
}

// markForRescan marks a link to be scanned again if the scanner found malware
// here while another process made the link.
func (s *Uploads) markForRescan(tx vitrine.LinkTx, u *vitrine.Upload, e *vitrine.Error) error {
	if e.Code != vitrine.CodeMalware {
		return nil
	}
	l, err := vitrine.LinkByUpload(tx, u)
	if err != nil {
		return vitrine.NotFoundIsNil(err)
	}
	l.Scanned = "doubted " + s.Now().UTC().Format(time.RFC3339Nano) // no signature version has this form
	return tx.PutLink(l)
}

// fail ends an upload that a check refused and deletes its bytes. The caller
// and later retries get cause.
func (s *Uploads) fail(ctx context.Context, u *vitrine.Upload, cause error) error {
	made := false
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		made = false
		current, err := tx.Upload(u.ID)
		if err != nil || current.State == vitrine.UploadFailed {
			return err
		}
		var e *vitrine.Error
		errors.As(cause, &e)
		if made = current.State == vitrine.UploadDone; made {
			return s.markForRescan(tx, current, e)
		}
		current.State, current.Failure, current.HoldUntil = vitrine.UploadFailed, e, s.Now()
		if c := refusal(current, e); c != nil {
			c.At = s.Now()
			if err := tx.AddChange(c); err != nil {
				return err
			}
		}
		return tx.PutUpload(current)
	})
	if err == nil && made {
		err = errors.New("another process made the link that this one refused: " + cause.Error())
	}
	if err != nil {
		return err
	}
	// If this fails, the bytes stay on the list of spare files.
	if err := links.PurgeSpare(ctx, s.Store, s.Blobs, vitrine.SpareFile{Key: u.ID}); err != nil {
		return vitrine.Unavailable(err)
	}
	return cause
}
