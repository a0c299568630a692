package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"vitrine"
	"vitrine/internal/disk"
	"vitrine/internal/sqldb"
	"vitrine/internal/web"
)

// What a data directory holds. The spool is the serving process's own; the other verbs leave it alone.
const (
	storeFile = "vitrine.db"
	viewsFile = "views.db"
	filesDir  = "files"
	spoolDir  = "spool"
)

// signingSecret names the secret in the Store that all tokens of an instance are made with.
const signingSecret = "signing"

// instance is an opened data directory: the ports, and the services on them that the operator's verbs and the server share.
type instance struct {
	dir    string
	store  *sqldb.Store
	log    *sqldb.ViewLog
	blobs  *disk.Blobs
	signer *vitrine.Signer
	now    func() time.Time

	accounts   *vitrine.Accounts
	keys       *vitrine.Keys
	links      *vitrine.Links
	analytics  *vitrine.Analytics
	abuse      *vitrine.AbuseReports
	sessions   *vitrine.Sessions
	moderation *vitrine.Moderation
}

// createInstance opens a data directory, and makes it first where it is not there.
func createInstance(ctx context.Context, dir, public string) (*instance, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	return newInstance(ctx, dir, public)
}

// openInstance opens a data directory that is there.
func openInstance(ctx context.Context, dir string) (*instance, error) {
	if !exists(dir) {
		return nil, fmt.Errorf("there is no Vitrine instance in %s; name its directory with --data or VITRINE_DATA (\"vitrine serve\" and \"vitrine account create\" make a new one)", dir)
	}
	return newInstance(ctx, dir, "")
}

// exists tells whether a directory has been made an instance's.
func exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, storeFile))
	return err == nil
}

// newInstance opens the databases. The public address matters to signed URLs alone, which only a server gives out.
func newInstance(ctx context.Context, dir, public string) (_ *instance, err error) {
	in := &instance{dir: dir, now: time.Now}
	defer func() {
		if err != nil {
			in.Close()
		}
	}()
	if in.store, err = sqldb.OpenStore(filepath.Join(dir, storeFile)); err != nil {
		return nil, err
	}
	if in.log, err = sqldb.OpenViewLog(filepath.Join(dir, viewsFile)); err != nil {
		return nil, err
	}
	secret, err := instanceSecret(ctx, in.store)
	if err != nil {
		return nil, err
	}
	in.signer = vitrine.NewSigner(secret)
	if in.blobs, err = disk.New(filepath.Join(dir, filesDir), public+web.StorageRoot, in.signer, in.now); err != nil {
		return nil, err
	}
	in.sessions = &vitrine.Sessions{Store: in.store, Signer: in.signer, Now: in.now}
	in.accounts = &vitrine.Accounts{Store: in.store, Now: in.now, Sessions: in.sessions, SignUp: vitrine.SignUpInvite}
	in.keys = &vitrine.Keys{Store: in.store, Now: in.now}
	in.links = &vitrine.Links{Store: in.store, Blobs: in.blobs, Log: in.log, Now: in.now}
	in.analytics = &vitrine.Analytics{Store: in.store, Log: in.log, Signer: in.signer, Now: in.now}
	in.abuse = &vitrine.AbuseReports{Store: in.store, Now: in.now}
	in.moderation = &vitrine.Moderation{Store: in.store, Now: in.now}
	return in, nil
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

// instanceSecret reads the secret of an instance, and makes it at its first start.
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
			return err // another process was first
		}
		secret = make([]byte, 32)
		rand.Read(secret)
		return tx.PutSecret(signingSecret, secret)
	})
	return secret, err
}

// ready tells whether the parts that a server stands on answer.
func (in *instance) ready(ctx context.Context) error {
	if _, err := in.hasAccounts(ctx); err != nil {
		return err
	}
	_, err := in.log.Counts(ctx, []vitrine.LinkID{1})
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
