package s3

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// corsAge is how long browsers may cache the permission, in seconds.
const corsAge = 3600

// Cors adds a rule to the bucket that permits PUT uploads from pages of an
// origin, such as https://share.example. It keeps other rules. Errors are
// messages for the administrator, as from Check.
func (b *Blobs) Cors(ctx context.Context, origin string) error {
	if err := b.checkOrigin(origin); err != nil {
		return err
	}
	out, err := b.api.GetBucketCors(ctx, &sdk.GetBucketCorsInput{Bucket: &b.bucket})
	var rules []types.CORSRule
	switch {
	case err == nil:
		rules = out.CORSRules
	case codeOf(err) != "NoSuchCORSConfiguration":
		return b.explainCors(err, "s3:GetBucketCORS")
	}
	id := "vitrine " + origin
	rules = slices.DeleteFunc(rules, func(r types.CORSRule) bool { return aws.ToString(r.ID) == id })
	rules = append(rules, types.CORSRule{ID: &id, AllowedOrigins: []string{origin},
		AllowedMethods: []string{http.MethodPut},
		AllowedHeaders: []string{"content-type"}, ExposeHeaders: []string{"ETag"}, MaxAgeSeconds: aws.Int32(corsAge)})
	_, err = b.api.PutBucketCors(ctx, &sdk.PutBucketCorsInput{Bucket: &b.bucket,
		CORSConfiguration: &types.CORSConfiguration{CORSRules: rules}})
	if err != nil {
		return b.explainCors(err, "s3:PutBucketCORS")
	}
	return nil
}

func (b *Blobs) explainCors(err error, action string) error {
	switch {
	case codeOf(err) == "NotImplemented", codeOf(err) == "MethodNotAllowed", statusOf(err) == http.StatusNotImplemented:
		return fmt.Errorf("%w (%v)", &advice{"The server of the bucket does not support CORS rules.",
			"Allow PUT with the header Content-Type from the public address in its own configuration."}, err)
	}
	return b.withAdvice(err, action)
}

// CorsMissing sends the preflight request of a browser for an origin. It
// returns nil if uploads are permitted, otherwise a message for the
// administrator.
func (b *Blobs) CorsMissing(ctx context.Context, origin string) error {
	if err := b.checkOrigin(origin); err != nil {
		return err
	}
	g := vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: 1, Type: "text/plain", Expires: b.now().Add(time.Minute)}
	address, err := b.signPut(ctx, b.inside, b.incoming(g.Key, g.Size), g)
	if err != nil {
		return b.withAdvice(err, "")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodOptions, address, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Origin", origin)
	r.Header.Set("Access-Control-Request-Method", http.MethodPut)
	r.Header.Set("Access-Control-Request-Headers", "content-type")
	status, header, _, err := b.ask(r)
	if err != nil {
		return b.withAdvice(err, "")
	}
	allowed := header.Get("Access-Control-Allow-Origin")
	if status > 299 || allowed != "*" && !strings.EqualFold(allowed, origin) ||
		!listed(header, "Access-Control-Allow-Methods", http.MethodPut) ||
		!listed(header, "Access-Control-Allow-Headers", "content-type") {
		return &advice{fmt.Sprintf("The bucket does not allow uploads from pages of %s (CORS).",
			origin), `"vitrine admin repair cors" sets the rule.`}
	}
	return nil
}

// checkOrigin returns an error if pages of an origin cannot send requests to
// the bucket at all, independent of the bucket’s rules.
func (b *Blobs) checkOrigin(origin string) error {
	to, err := url.Parse(b.origin)
	if err != nil || to.Scheme == "https" || !strings.HasPrefix(origin, "https://") {
		return err
	}
	host := to.Hostname()
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() || host == "localhost" ||
		strings.HasSuffix(host, ".localhost") {
		return nil // traffic stays on this machine
	}
	return &advice{fmt.Sprintf("Browsers do not send data from pages of %s to %s, because it is not encrypted.", origin,
		b.origin),
		"Set an https:// address of the bucket’s server in its address, with endpoint= or public=."}
}

// listed reports whether a list header contains a value or the wildcard.
func listed(h http.Header, name, value string) bool {
	for v := range strings.SplitSeq(strings.Join(h.Values(name), ","), ",") {
		if v = strings.TrimSpace(v); v == "*" || strings.EqualFold(v, value) {
			return true
		}
	}
	return false
}
