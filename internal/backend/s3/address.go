package s3

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/base/notation"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
)

// Address is the address of a bucket:
// s3://[KEY:SECRET@]BUCKET[/PREFIX][?endpoint=URL][&public=URL][&region=REGION][&path-style=true].
type Address struct {
	Bucket    string
	Prefix    string // before all keys; "" or with a slash at its end
	Endpoint  string // http:// or https://, a host and nothing else; "" is Amazon's
	Public    string // as Endpoint, where browsers and clients find the same server; "" is Endpoint
	Region    string // "" is the one of the environment
	PathStyle bool   // the bucket is in the path, not in the host; default with an endpoint

	Key, Secret string // "" are those of the environment
}

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixName = regexp.MustCompile(`^([A-Za-z0-9_-][A-Za-z0-9._-]*/)*$`) // needs no escaping in paths, headers and lists
)

// ParseAddress parses an address. Its errors do not contain the address, which
// may include a secret.
func ParseAddress(address string) (Address, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Opaque != "" || u.Fragment != "" {
		return Address{}, errors.New("an address of a bucket is s3://BUCKET/PREFIX?endpoint=URL&region=REGION; in a key or secret that it holds, / is written %2F, + is %2B and @ is %40")
	}
	a := Address{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	if !bucketName.MatchString(a.Bucket) {
		return Address{}, fmt.Errorf("%q is not the name of a bucket: a name has 3 to 63 characters of a-z, 0-9, dots and hyphens; the server is named by endpoint=", a.Bucket)
	}
	if a.Prefix != "" {
		a.Prefix += "/"
	}
	if !prefixName.MatchString(a.Prefix) {
		return Address{}, fmt.Errorf("%q is not a prefix: a prefix is made of letters, digits, hyphens, underscores, dots and slashes", a.Prefix)
	}
	if u.User != nil {
		a.Key = u.User.Username()
		a.Secret, _ = u.User.Password()
		if a.Key == "" || a.Secret == "" {
			return Address{}, errors.New("the address of a bucket has a key but no secret: s3://KEY:SECRET@BUCKET")
		}
	}
	return a, a.parse(u.RawQuery)
}

// parse parses the query parameters.
func (a *Address) parse(query string) error {
	q, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("the parameters in the address of a bucket cannot be read: they are name=value, with & between them")
	}
	styled := false
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if len(q[name]) > 1 {
			return fmt.Errorf("the address of a bucket names %q twice", name)
		}
		value := q.Get(name)
		switch name {
		case "endpoint":
			if a.Endpoint, err = server(name, value); err != nil {
				return err
			}
		case "public":
			if a.Public, err = server(name, value); err != nil {
				return err
			}
		case "region":
			if a.Region = value; value == "" || strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
				return errors.New("the region of a bucket is a name such as region=eu-central-1")
			}
		case "path-style":
			if a.PathStyle, err = strconv.ParseBool(value); err != nil {
				return errors.New("path-style must be true or false")
			}
			styled = true
		default:
			return fmt.Errorf("the address of a bucket has an unknown parameter %q; use endpoint, public, region or path-style", name)
		}
	}
	if a.Public != "" && a.Endpoint == "" {
		return errors.New("public= requires endpoint=")
	}
	if !styled {
		a.PathStyle = a.Endpoint != "" || strings.Contains(a.Bucket,
			".") // a certificate does not cover bucket names with dots
	}
	return nil
}

// server parses the address of a server.
func server(name, value string) (string, error) {
	e, err := url.Parse(value)
	if err != nil || e.Scheme != "http" && e.Scheme != "https" || e.Host == "" || e.User != nil ||
		strings.Trim(e.Path, "/") != "" || e.RawQuery != "" || e.Fragment != "" {
		return "", fmt.Errorf("%s must be https:// or http:// and a host, such as %s=https://s3.example.com",
			name, name)
	}
	host, err := notation.Host(e)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return e.Scheme + "://" + host, nil
}

func open(ctx context.Context, address string, now func() time.Time, l limits) (*Blobs, error) {
	a, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	options := []func(*config.LoadOptions) error{config.WithLogger(logging.Nop{})} // the SDK must not log
	if a.Region != "" {
		options = append(options, config.WithRegion(a.Region))
	}
	if a.Key != "" {
		from := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: a.Key, SecretAccessKey: a.Secret, Source: "the address"}, nil
		})
		options = append(options, config.WithCredentialsProvider(from))
	}
	c, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("the configuration for S3: %w", err)
	}
	if a.Endpoint != "" {
		c.Region = cmp.Or(c.Region, "us-east-1") // the default region of other servers
	}
	if c.Region == "" {
		return nil, errors.New("the region of the bucket is unknown: set region= in its address, such as region=eu-central-1, or AWS_REGION")
	}
	client := newClient(l, authorities(c))
	api := sdk.NewFromConfig(c, func(o *sdk.Options) {
		o.UsePathStyle = a.PathStyle
		if a.Endpoint != "" {
			o.BaseEndpoint = &a.Endpoint
		}
		o.HTTPClient = client
		o.Retryer = retry.NewStandard(func(r *retry.StandardOptions) {
			r.MaxAttempts, r.MaxBackoff = l.attempts,
				l.pause
		})
		// Other servers refuse unknown checksums. Lengths, ETags and TLS
		// protect the bytes.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})
	b := &Blobs{api: api, inside: sdk.NewPresignClient(api), outside: sdk.NewPresignClient(api), plain: client,
		bucket: a.Bucket, prefix: a.Prefix, now: now, limits: l, appends: make(chan struct{}, maxAppends)}
	if b.server, err = origin(ctx, api.Options(), a.Bucket); err != nil {
		return nil, err
	}
	b.origin = b.server
	if a.Public != "" {
		o := api.Options()
		o.BaseEndpoint = &a.Public
		b.outside = sdk.NewPresignClient(sdk.New(o))
		b.origin, err = origin(ctx, o, a.Bucket)
	}
	return b, err
}

// origin returns the origin of requests to a bucket.
func origin(ctx context.Context, o sdk.Options, bucket string) (string, error) {
	where, err := o.EndpointResolverV2.ResolveEndpoint(ctx,
		sdk.EndpointParameters{Bucket: &bucket, Region: &o.Region, Endpoint: o.BaseEndpoint,
			ForcePathStyle: &o.UsePathStyle})
	if err != nil {
		return "", fmt.Errorf("the address of the bucket: %w", err)
	}
	return where.URI.Scheme + "://" + where.URI.Host, nil
}

// authorities returns the certificate authorities of a configuration
// (AWS_CA_BUNDLE, ca_bundle), or nil for the system's.
func authorities(c aws.Config) *x509.CertPool {
	if h, ok := c.HTTPClient.(interface{ GetTransport() *http.Transport }); ok {
		if t := h.GetTransport().TLSClientConfig; t != nil {
			return t.RootCAs
		}
	}
	return nil
}

var (
	_ vitrine.Blobs  = (*Blobs)(nil)
	_ vitrine.Bucket = (*Blobs)(nil)
)
