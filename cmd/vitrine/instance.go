package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vitrine"
	"vitrine/internal/analytics"
	"vitrine/internal/auth"
	"vitrine/internal/links"
	"vitrine/internal/logowner"
	"vitrine/internal/moderation"
	"vitrine/internal/sharedclock"
	"vitrine/internal/signer"
	"vitrine/internal/sqlstore"
	"vitrine/internal/terminal"
	"vitrine/internal/web/api"
)

// Names of secrets in the Store.
const (
	signingSecret = "signing" // signs all tokens of an instance
	namesSecret   = "names"   // the first signing secret, if it was rotated
)

// instance is an open instance: the ports, and the services that the server and
// the operator's commands share.
type instance struct {
	places   placeFlags
	store    *sqlstore.Store
	log      viewLog
	blobs    vitrine.Blobs
	receiver vitrine.Receiver // nil if uploads go to a bucket
	signer   *signer.Signer
	now      func() time.Time

	accounts   *auth.Accounts
	keys       *auth.Keys
	links      *links.Service
	analytics  *analytics.Service
	abuse      *moderation.AbuseReports
	sessions   *auth.Sessions
	moderation *moderation.Service
}

// createInstance opens an instance and creates it if it does not exist.
func createInstance(ctx context.Context, places placeFlags, public string) (*instance, error) {
	// A missing parent is more likely a misspelt path.
	parent := filepath.Dir(places.Data)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s cannot be created: there is no directory %s. Check --data, or create that directory first",
			places.Data, parent)
	}
	if err := os.MkdirAll(places.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	return newInstance(ctx, places, public, true)
}

// openInstance opens an existing instance.
func openInstance(ctx context.Context, places placeFlags) (*instance, error) {
	return openExisting(ctx, places, true)
}

// openExisting opens an existing instance. With checkLog, it also checks that
// the view log belongs to the database.
func openExisting(ctx context.Context, places placeFlags, checkLog bool) (*instance, error) {
	if !places.exists() {
		return nil, fmt.Errorf("there is no Vitrine instance in %s. Name its directory with --data or VITRINE_DATA (\"vitrine serve\" creates a new one)", places.Data)
	}
	// An empty database must stay empty, because it may be the target of a
	// migration. Opening reports other problems.
	if places.Database != "" {
		if empty, err := places.isNew(ctx); err == nil && empty {
			return nil, fmt.Errorf("there is no Vitrine instance in %s (\"vitrine serve\" creates a new one there, \"vitrine migrate\" copies one there)", redacted(places.Database))
		}
	}
	return newInstance(ctx, places, "", checkLog)
}

// newInstance opens databases and file storage. public is only needed by a
// server, for signed URLs. With checkLog, it returns an error if the view log
// belongs to another database or has lost views. It never creates a new view
// log for a database that had one.
func newInstance(ctx context.Context, places placeFlags, public string, checkLog bool) (_ *instance, err error) {
	in := &instance{places: places, now: clock}
	defer func() {
		if err != nil {
			in.Close()
		}
	}()
	if in.store, err = places.openStore(); err != nil {
		return nil, err
	}
	if places.shared() {
		in.now = (&sharedclock.Clock{Own: clock, Theirs: in.store.Time}).Now
	}
	if err = refuseUnfinished(ctx, in.store, places); err != nil {
		return nil, err
	}
	if err = places.logGone(ctx, in.store); err != nil {
		return nil, places.lossOf(err)
	}
	if in.log, err = places.openLog(ctx, in.store); err != nil {
		return nil, err
	}
	if checkLog {
		if err = in.logPair().Check(ctx); err != nil {
			return nil, places.lossOf(err)
		}
	}
	if in.signer, err = instanceSigner(ctx, in.store); err != nil {
		return nil, err
	}
	if in.blobs, in.receiver, err = places.openBlobs(ctx, public+api.StorageRoot, in.signer, in.now); err != nil {
		return nil, err
	}
	in.sessions = &auth.Sessions{Store: in.store, Signer: in.signer, Now: in.now}
	in.accounts = &auth.Accounts{Store: in.store, Now: in.now, Sessions: in.sessions, SignUp: auth.SignUpInvite}
	in.keys = &auth.Keys{Store: in.store, Now: in.now}
	in.links = &links.Service{Store: in.store, Blobs: in.blobs, Log: in.log, Now: in.now}
	in.analytics = &analytics.Service{Store: in.store, Log: in.log, Signer: in.signer, Now: in.now}
	in.abuse = &moderation.AbuseReports{Store: in.store, Now: in.now}
	in.moderation = &moderation.Service{Store: in.store, Now: in.now}
	return in, nil
}

// reserveIDs reserves the IDs that the view log and the other sources have
// seen, so that new accounts and links do not reuse them. It returns a warning
// if the database was behind, otherwise "". Call it before creating accounts or
// links.
func (in *instance) reserveIDs(ctx context.Context, more ...logowner.IDSource) (warning string, err error) {
	return logowner.ReserveIDs(ctx, in.store, append(more, in.log)...)
}

// reserveIDsAndWarn reserves IDs and prints a warning, if any.
func reserveIDsAndWarn(t *terminal.Terminal, ctx context.Context, in *instance) error {
	warning, err := in.reserveIDs(ctx)
	if warning != "" {
		t.Say("Warning: %s.", warning)
	}
	return err
}

// storageOrigin returns the origin of uploads to a bucket, or "" if this server
// receives uploads.
func (in *instance) storageOrigin() string {
	if bucket, ok := in.blobs.(interface{ Origin() string }); ok {
		return bucket.Origin()
	}
	return ""
}

// Close closes the databases.
func (in *instance) Close() error {
	var errs []error
	if in.log != nil {
		errs = append(errs, in.log.Close())
	}
	if in.store != nil {
		errs = append(errs, in.store.Close())
	}
	return errors.Join(errs...)
}

// instanceSigner returns the signer of an instance.
func instanceSigner(ctx context.Context, store vitrine.Store) (*signer.Signer, error) {
	secret, err := instanceSecret(ctx, store)
	if err != nil {
		return nil, err
	}
	names, err := vitrine.Read(ctx, store, func(tx vitrine.Tx) ([]byte, error) { return tx.Secret(namesSecret) })
	if errors.Is(err, vitrine.ErrNotFound) {
		return signer.New(secret), nil
	}
	return signer.New(secret).NamedBy(names), err
}

// instanceSecret returns the secret of an instance. The first start creates it.
func instanceSecret(ctx context.Context, store vitrine.Store) (secret []byte, err error) {
	read := func(tx vitrine.Tx) (err error) {
		secret, err = tx.Secret(signingSecret)
		return err
	}
	if err = store.Read(ctx, read); !errors.Is(err, vitrine.ErrNotFound) {
		return secret, err
	}
	err = store.Update(ctx, func(tx vitrine.Tx) error {
		err := read(tx)
		if !errors.Is(err, vitrine.ErrNotFound) {
			return err // another process created it first
		}
		secret = make([]byte, 32)
		rand.Read(secret)
		return tx.PutSecret(signingSecret, secret)
	})
	return secret, err
}

// ready returns an error if the store does not respond, because no page can be
// served without it. It ignores the view log: while that is unavailable, views
// are spooled, and a load balancer would otherwise remove all servers at once.
func (in *instance) ready(ctx context.Context) error {
	_, err := in.hasAccounts(ctx)
	return err
}

func (in *instance) hasAccounts(ctx context.Context) (some bool, err error) {
	err = in.store.Read(ctx, func(tx vitrine.Tx) error {
		n, err := tx.CountAccounts()
		some = n > 0
		return err
	})
	return some, err
}
