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

// completion completes one upload, in four steps: seal, inspect, scan, publish.
// Until publish, or the refusal of a step, is stored, the upload is open, and a
// retry begins again with seal.
type completion struct {
	*Uploads
	check    *check
	upload   *vitrine.Upload // as it was found
	expected links.Condition // what the replaced link must meet; nil: nothing

	link   vitrine.Link // has the values of the request; the steps add the others
	blob   vitrine.Blob // the sealed bytes, from inspect on
	unused bool         // the link has the same bytes already
}

// run takes the steps and returns the link. If a step refuses the file, the
// upload has ended and every retry gets the same error.
func (c *completion) run(ctx context.Context) (*vitrine.Link, error) {
	defer func() {
		if c.blob != nil {
			c.blob.Close()
		}
	}()
	for _, step := range []func(context.Context) error{c.seal, c.inspect, c.scan, c.publish} {
		if err := step(ctx); err != nil {
			return c.failed(ctx, err)
		}
	}
	if c.unused {
		c.purge(ctx)
	}
	if c.Wake != nil {
		c.Wake()
	}
	c.count(UploadCompleted)
	return &c.link, nil
}

// endsUpload reports whether an upload that fails with err cannot be completed
// any more. It can if the server failed, if bytes are missing, or if its
// account may upload nothing at the moment.
func endsUpload(err error) bool {
	switch vitrine.CodeOf(err) {
	case "", vitrine.CodeInternal, vitrine.CodeUnavailable, vitrine.CodeUploadIncomplete, vitrine.CodeBanned,
		vitrine.CodeRateLimited:
		return false
	}
	return true
}

// failed returns the answer after a step has failed. It stores a refusal.
func (c *completion) failed(ctx context.Context, err error) (*vitrine.Link, error) {
	if endsUpload(err) {
		if err = c.refuse(ctx, err); endsUpload(err) {
			return nil, c.refused(err)
		}
	}
	// Another process may have ended the upload, and taken its bytes, or the
	// answer of the database was lost.
	made, ended := c.ended(ctx)
	if made != nil || endsUpload(ended) || ended != nil && vitrine.CodeOf(err) == vitrine.CodeUploadIncomplete {
		return made, ended
	}
	return nil, err
}

// ended returns the link or the refusal of an upload that has ended since it
// was found, and nil for one that is open.
func (c *completion) ended(ctx context.Context) (made *vitrine.Link, err error) {
	err = c.Store.Read(ctx, func(tx vitrine.Tx) error {
		u, err := tx.Upload(c.upload.ID)
		switch {
		case err != nil:
			return err
		case u.State == vitrine.UploadDone:
			made, err = tx.Link(u.Link)
			return err
		case u.State == vitrine.UploadFailed:
			return u.FailureError()
		}
		return nil
	})
	return made, err
}

// seal seals the stored bytes, so that those that are checked are those that
// are served.
func (c *completion) seal(ctx context.Context) error {
	u := c.upload
	info, err := c.Blobs.Stat(ctx, u.ID)
	if errors.Is(err, vitrine.ErrNotFound) {
		return &vitrine.Error{Code: vitrine.CodeUploadIncomplete, Field: "path",
			Message: "The file has not arrived yet. PUT it to the signed URL, then complete again."}
	}
	if err != nil {
		return vitrine.Unavailable(err)
	}
	if info.Size != u.Size {
		return vitrine.Errorf(vitrine.CodeSizeMismatch, "The stored file has %d bytes; %d were announced.", info.Size,
			u.Size)
	}
	if info, err = c.Blobs.Seal(ctx, u.ID); err != nil {
		return vitrine.Unavailable(err)
	}
	l := &c.link
	l.Account, l.Slug, l.Site, l.Of = u.Account, u.Slug, u.Site, u.Replaces
	l.File = vitrine.File{Upload: u.ID, Name: u.Name, Type: u.Type, Size: u.Size, SHA256: info.SHA256, HasBytes: true}
	if l.OfSite() {
		l.AllowDownload, l.Preview = false, vitrine.PreviewDone // a website has no page for downloads or previews
	}
	return nil
}

// inspect checks that the bytes are of the type that the name says, and sets
// what they reveal: kind, pages, SHA-256, and a reason to hold the link.
func (c *completion) inspect(ctx context.Context) (err error) {
	l := &c.link
	t, err := filetype.ByName(l.Name, l.Type)
	if err != nil {
		return fileError(err)
	}
	if c.blob, err = c.Blobs.Open(ctx, l.Upload); err != nil {
		return vitrine.Unavailable(err)
	}
	facts, err := c.inspectInTurn(t)
	if err != nil {
		if err = fileError(err); vitrine.CodeOf(err) == vitrine.CodeInternal {
			return vitrine.Unavailable(err)
		}
		return err
	}
	if l.SHA256 == "" {
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(c.blob, 0, c.blob.Size())); err != nil {
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
		l.State = vitrine.StateProcessing
	}
	return nil
}

// inspectInTurn inspects the bytes when it is the account's turn, and counts
// the files of a version of a website.
func (c *completion) inspectInTurn(t filetype.Type) (filetype.Facts, error) {
	release, err := c.takeTurn(c.check, c.link.Account)
	if err != nil {
		return filetype.Facts{}, err
	}
	defer release()
	if !c.link.OfSite() {
		facts, err := inspect.Inspect(c.blob, c.blob.Size(), t)
		if err == nil && c.Outline != nil {
			c.link.Outline, err = c.Outline(t, io.NewSectionReader(c.blob, 0, c.blob.Size()))
		}
		return facts, err
	}
	site, facts, err := inspect.InspectSite(c.blob, c.blob.Size())
	if err == nil {
		c.link.Files = int64(len(site.Files))
	}
	return facts, err
}

// completeScanTime is how long Complete waits for the scanner, since its caller
// waits too. A file that takes longer goes to review.
const completeScanTime = 2 * time.Minute

// scan scans the bytes, unless they are scanned in the background, as a
// video's.
func (c *completion) scan(ctx context.Context) error {
	l := &c.link
	if l.State == vitrine.StateProcessing {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, completeScanTime)
	defer cancel()
	verdict, signatures, err := scanBytes(ctx, c.Scanner, c.blob)
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

// publish checks the plan's limits, creates the link or version and ends the
// upload, in one transaction. If another process did so first, it returns that
// link.
func (c *completion) publish(ctx context.Context) error {
	checked := c.link
	return c.Store.Update(ctx, func(tx vitrine.Tx) error {
		c.link, c.unused = checked, false
		now := c.Now()
		u, err := tx.Upload(c.upload.ID)
		if err != nil {
			return err
		}
		switch u.State {
		case vitrine.UploadDone:
			made, err := tx.Link(u.Link)
			if err == nil {
				c.link = *made
			}
			return err
		case vitrine.UploadFailed:
			return u.FailureError()
		}
		if err := c.admit(tx, u, now, false); err != nil {
			if e := new(vitrine.Error); errors.As(err, &e) && e.Held != nil {
				e.RetryAfter = 0 // this upload ends with the refusal
			}
			return err
		}
		if u.Replaces != 0 {
			return c.replace(tx, u, now)
		}
		return c.create(tx, u, now)
	})
}

// create adds a link or the version of a website, and ends its upload.
func (c *completion) create(tx vitrine.Tx, u *vitrine.Upload, now time.Time) (err error) {
	l := &c.link
	l.Slug, l.CreatedAt, l.StateAt = u.Slug, now, now
	var site *vitrine.Site
	if l.OfSite() {
		if site, err = openSite(tx, u); err != nil {
			return err
		}
		l.Title = site.Title
	}
	if err := holdKnown(tx, l); err != nil {
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
	return c.end(tx, u, now)
}

// end ends an upload that has made a link. Unused bytes are spare from now on.
func (c *completion) end(tx vitrine.UploadTx, u *vitrine.Upload, now time.Time) error {
	u.State, u.Link, u.HoldUntil = vitrine.UploadDone, c.link.ID, time.Time{}
	if c.unused {
		u.HoldUntil = now
	}
	return tx.PutUpload(u)
}

// holdKnown holds a link if the same bytes, on any account, were disabled or
// are held as malware or because of abuse reports. This reason replaces that of
// an impossible scan.
func holdKnown(tx vitrine.LinkTx, l *vitrine.Link) error {
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
