package main

import (
	"context"
	"errors"

	"vitrine/internal/s3"
)

type storageCmd struct {
	Check storageCheckCmd `cmd:"" help:"Try whatever is asked of the bucket, with small objects that are removed again; says what is wrong and what to do."`
	Cors  storageCorsCmd  `cmd:"" help:"Have the bucket let pages of the public address put files there (CORS); its other rules stay."`
}

// bucketFlags are those of verbs for instances whose files are in a bucket.
type bucketFlags struct {
	placeFlags
	PublicURL string `help:"Address of the instance as visitors type it." env:"VITRINE_PUBLIC_URL" placeholder:"URL"`
}

// bucket does something with the bucket of an instance, from which a browser at a public address, "" where none is told, puts files there.
func (f bucketFlags) bucket(ctx context.Context, do func(b *s3.Blobs, public string) error) error {
	public := ""
	if f.PublicURL != "" {
		u, err := origin("--public-url", f.PublicURL)
		if err != nil {
			return usage(err.Error())
		}
		public = u.String()
	}
	return withInstance(ctx, f.placeFlags, func(in *instance) error {
		b, ok := in.blobs.(*s3.Blobs)
		if !ok {
			return errors.New("the files of this instance are in its data directory, not in a bucket (--files)")
		}
		return do(b, public)
	})
}

type storageCheckCmd struct{ bucketFlags }

func (c *storageCheckCmd) Run(ctx context.Context, t *terminal) error {
	return c.bucket(ctx, func(b *s3.Blobs, public string) error {
		if err := b.Check(ctx); err != nil {
			return err
		}
		if public != "" {
			if err := b.CorsMissing(ctx, public); err != nil {
				return err
			}
		}
		t.say("The bucket at %s does all that is asked of it.", b.Origin())
		if public == "" {
			t.say("Whether browsers may put files there was not tried: name --public-url.")
		}
		return nil
	})
}

type storageCorsCmd struct{ bucketFlags }

func (c *storageCorsCmd) Run(ctx context.Context, t *terminal) error {
	if c.PublicURL == "" {
		return usage("--public-url is missing: the address whose pages may put files into the bucket")
	}
	return c.bucket(ctx, func(b *s3.Blobs, public string) error {
		if err := b.Cors(ctx, public); err != nil {
			return err
		}
		if err := b.CorsMissing(ctx, public); err != nil {
			return errors.New("the rule was set, and the bucket does not go by it; it may take a minute, then: vitrine storage check")
		}
		t.say("Pages of %s may put files into the bucket at %s.", public, b.Origin())
		return nil
	})
}
