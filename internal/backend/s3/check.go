package s3

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"vitrine"
)

// errOverwrites is returned if the server cannot fulfill the contract of Seal.
var errOverwrites = errors.New("the server overwrites objects although the request forbids it (If-None-Match of CompleteMultipartUpload), so files could be swapped after they were checked: use another server or a newer version")

// checkConditionalWrites checks once that the server supports conditional
// writes (If-None-Match). Without them nothing is sealed.
func (b *Blobs) checkConditionalWrites(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tried {
		return nil
	}
	key := b.probe()
	defer b.deleteLeftovers(ctx, func(ctx context.Context) error { return b.remove(ctx, key) })
	write := func() error {
		a, err := b.assemble(ctx, key)
		if err == nil {
			err = a.add(ctx, []byte("x"))
		}
		if err == nil {
			err = a.complete(ctx, true)
		}
		return err
	}
	if err := write(); err != nil && !errors.Is(err,
		errReplaced) { // errReplaced: the first response was lost and the request was retried
		return b.fault("try", key, err)
	}
	switch err := write(); {
	case err == nil:
		return b.fault("try", key, errOverwrites)
	case !errors.Is(err, errReplaced):
		return b.fault("try", key, err)
	}
	b.tried = true
	return nil
}

// clockSkew is the maximum difference between the clocks of this machine and
// the server. Signed URLs expire by our clock.
const clockSkew = time.Minute

// Check tests all operations on the bucket that are needed. It uses small
// objects and deletes them. Errors state the problem and the remedy for the
// administrator.
func (b *Blobs) Check(ctx context.Context) error {
	// Check uses its own prefix, so that leftovers of a killed check are not
	// files of an instance.
	c := &Blobs{api: b.api, inside: b.inside, outside: b.outside, plain: b.plain, bucket: b.bucket,
		prefix: b.prefix + checkDir, server: b.server, origin: b.origin,
		now: b.now, limits: b.limits, tried: true}
	k := vitrine.NewUploadID()
	const text = "Vitrine tries its bucket."
	g := vitrine.PutGrant{Key: k, Size: int64(len(text)), Type: "text/plain", Expires: c.now().Add(time.Minute)}
	// A check deletes all its objects, including the record of its key.
	defer c.deleteLeftovers(ctx, func(ctx context.Context) error {
		return errors.Join(c.removeAll(ctx, c.prefix+incomingDir+string(k)), c.removeAll(ctx, c.path(k)))
	})
	steps := []struct {
		action string // that the key must be allowed; "" of a step that needs none that was not tried before
		run    func() error
	}{
		{"", func() error { return c.checkCredentials(ctx) }},
		{"s3:PutObject", func() error { return c.putSmall(ctx, c.incoming(k, g.Size), []byte(text)) }},
		{"s3:ListBucket", func() error { _, err := c.incomingObject(ctx, k); return err }},
		{"s3:GetObject", func() error { _, err := c.head(ctx, c.incoming(k, g.Size)); return err }},
		{"s3:ListBucket", func() error { _, err := c.exists(ctx, c.path(k)); return err }},
		// without this permission, a missing object is reported as "denied"
		{"s3:DeleteObject", func() error { return c.remove(ctx, c.incoming(k, g.Size)) }},
		{"", func() error { return c.checkClock(ctx) }},
		{"", func() error { return c.checkPut(ctx, g, text) }},
		{"s3:PutObject", func() error { return b.checkConditionalWrites(ctx) }},
		{"s3:PutObject and s3:GetObject", func() error { _, err := c.Seal(ctx, k); return err }},
		{"s3:GetObject", func() error { return c.checkRange(ctx, k, text) }},
		{"s3:ListBucketMultipartUploads and s3:AbortMultipartUpload",
			func() error { return c.checkUnfinished(ctx, k) }},
	}
	for _, s := range steps {
		if err := s.run(); err != nil {
			return b.withAdvice(err, s.action)
		}
	}
	return nil
}

// checkCredentials returns an error if there are no credentials.
func (b *Blobs) checkCredentials(ctx context.Context) error {
	if _, err := b.api.Options().Credentials.Retrieve(ctx); err != nil {
		return fmt.Errorf("%w (%v)", &advice{"No credentials for the bucket were found.",
			"Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name both in its address: s3://KEY:SECRET@BUCKET."},
			err)
	}
	return nil
}

// checkPut uploads like a browser. It sends invalid requests first.
func (b *Blobs) checkPut(ctx context.Context, g vitrine.PutGrant, text string) error {
	for _, try := range []struct {
		body, contentType string
		taken             bool
	}{{text + "!", g.Type, false}, {text, "text/html", false}, {text, g.Type, true}} {
		address, err := b.signPut(ctx, b.inside, b.incoming(g.Key, g.Size), g)
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPut, address, strings.NewReader(try.body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", try.contentType)
		status, _, said, err := b.ask(r)
		switch {
		case err != nil:
			return err
		case try.taken && status != http.StatusOK:
			return &advice{fmt.Sprintf("The server refuses a signed upload (%d: %s).", status, said),
				"Make it check signatures with the host of the endpoint: a proxy in front of it must keep the Host header."}
		case !try.taken && status == http.StatusOK:
			return &advice{"The server takes an upload of another size or type than its signed URL says.",
				"Use another server or a newer version."}
		}
	}
	return nil
}

// checkClock compares the clocks of this machine and of the server.
func (b *Blobs) checkClock(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, b.server, nil)
	if err != nil {
		return err
	}
	_, header, _, err := b.ask(r)
	if err != nil {
		return err
	}
	theirs, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return nil // not checked: the server sent no date
	}
	if off := b.now().Sub(theirs); off.Abs() > clockSkew {
		return &advice{fmt.Sprintf("The clocks of this machine and of the bucket's server differ by %s, so signed URLs expire at the wrong time.", off.Abs().Round(time.Second)),
			"Synchronize it with NTP."}
	}
	return nil
}

// checkRange reads a range of a sealed blob.
func (b *Blobs) checkRange(ctx context.Context, k vitrine.UploadID, text string) error {
	body, o, err := b.get(ctx, b.path(k), "", 8, 13)
	if err != nil {
		return err
	}
	defer body.Close()
	got, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	if string(got) != text[8:13] || o.size != int64(len(text)) {
		return &advice{fmt.Sprintf("The server answers a range of an object with %q of %d bytes, not %q of %d.", got,
			o.size, text[8:13], len(text)), "Use another server or a newer version."}
	}
	return nil
}

// checkUnfinished starts a multipart upload and aborts it like Sweep.
func (b *Blobs) checkUnfinished(ctx context.Context, k vitrine.UploadID) error {
	a, err := b.assemble(ctx, b.incoming(k, 1))
	if err != nil {
		return err
	}
	return errors.Join(b.unfinished(ctx, b.prefix+incomingDir+string(k),
		func(*assembly, time.Time) error { return nil }), a.abort(ctx))
}

// ask sends a request like a browser. It returns the status, the headers and
// the beginning of the body.
func (b *Blobs) ask(r *http.Request) (int, http.Header, string, error) {
	res, err := b.plain.Do(r)
	if err != nil {
		return 0, nil, "", b.fault("ask", r.URL.Host, err)
	}
	defer res.Body.Close()
	said, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	if err != nil {
		return 0, nil, "", b.fault("ask", r.URL.Host, err)
	}
	return res.StatusCode, res.Header, string(bytes.ToValidUTF8(bytes.TrimSpace(said), []byte("?"))), nil
}

// advice is a problem with a bucket and its remedy.
type advice struct{ wrong, remedy string }

func (a *advice) Error() string { return a.wrong + " " + a.remedy }

// withAdvice returns an error as a message for the administrator. action is the
// operation that failed.
func (b *Blobs) withAdvice(err error, action string) error {
	var a *advice
	if errors.As(err, &a) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, errOverwrites) {
		return &advice{"The bucket cannot be used:", errOverwrites.Error() + "."}
	}
	if e := (*vitrine.Error)(nil); errors.As(err, &e) && e.Err != nil {
		err = e.Err // without the message for clients
	}
	say := func(remedy, format string, args ...any) error {
		return fmt.Errorf("%w (%v)", &advice{fmt.Sprintf(format, args...), remedy}, err)
	}
	switch code := codeOf(err); code {
	case "NoSuchBucket":
		return say("Create it, or correct its address.", "There is no bucket %q at %s.", b.bucket, b.server)
	case "InvalidAccessKeyId", "XAdminUserNotFound", "InvalidToken", "ExpiredToken":
		return say("Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the key in the address.",
			"%s does not know the key (%s).", b.server, code)
	case "SignatureDoesNotMatch":
		return say("Correct AWS_SECRET_ACCESS_KEY, or the secret in the address; a proxy before the server must keep the Host header.", "The secret does not belong to the key.")
	case "RequestTimeTooSkewed":
		return say("Synchronize it with NTP.", "The clock of this machine is wrong: %s refuses it.", b.server)
	case "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "MovedPermanently":
		return say("Correct region= in its address.", "The bucket %q is in another region.", b.bucket)
	case "AccessDenied", "AllAccessDisabled", "Forbidden":
		return say(fmt.Sprintf("Allow the key %s for the bucket %s and for %s/%s*.", cmp.Or(action, "what it needs"),
			b.bucket, b.bucket, b.prefix), "The server refuses %s.", cmp.Or(action, "access"))
	case "NotImplemented", "MethodNotAllowed":
		return say("Use another server or a newer version.",
			"The server of the bucket lacks what Vitrine needs (%s).", cmp.Or(action, code))
	case "":
		if statusOf(err) == 0 {
			return say("Correct endpoint= in its address, or start the server.", "%s does not answer.", b.server)
		}
	}
	return say("See its log.", "The server of the bucket fails.")
}
