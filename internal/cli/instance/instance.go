// Package instance opens an instance: its databases, files and secret, and the
// services that the server and the administrator's commands share. It knows who
// serves from a data directory and how much room it has, and the form of a
// backup's manifest.
package instance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/ownership"
	"vitrine/internal/app/services"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
)

// Instance is an open instance: its ports, and the services on them.
type Instance struct {
	Places   Places
	Store    *sqlstore.Store
	Log      *viewlog.ViewLog
	Blobs    vitrine.Blobs
	Receiver vitrine.Receiver // nil if uploads go to a bucket
	Signer   *signer.Signer
	Now      func() time.Time

	*services.Services
}

// Create opens an instance and creates it if it does not exist. base is the
// address of signed URLs of a server that stores files in a directory.
func Create(ctx context.Context, places Places, base string) (*Instance, error) {
	if err := places.Refuse(); err != nil {
		return nil, err
	}
	// A missing parent is more likely a misspelt path.
	parent := filepath.Dir(places.Data)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s cannot be created: there is no directory %s. Check --data, or create that directory first",
			places.Data, parent)
	}
	if err := os.MkdirAll(places.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	return open(ctx, places, base, true)
}

// Open opens an existing instance. It returns an error for a backup, and if the
// view log belongs to another database or has lost views.
func Open(ctx context.Context, places Places) (*Instance, error) {
	if err := places.RefuseBackup(); err != nil {
		return nil, err
	}
	return openExisting(ctx, places, true)
}

// OpenUnchecked opens an existing instance without checking that the view log
// belongs to the database, or that the directory is not a backup.
func OpenUnchecked(ctx context.Context, places Places) (*Instance, error) {
	return openExisting(ctx, places, false)
}

func openExisting(ctx context.Context, places Places, checkLog bool) (*Instance, error) {
	if err := places.storeGone(); err != nil {
		return nil, err
	}
	if !places.Exists() {
		return nil, fmt.Errorf("there is no Vitrine instance in %s. Name its directory with --data or VITRINE_DATA (\"vitrine serve\" creates a new one)", places.Data)
	}
	// An empty database must stay empty, because it may be the target of a
	// migration. Opening reports other problems.
	if places.Database != "" {
		if empty, err := places.IsNew(ctx); err == nil && empty {
			return nil, fmt.Errorf("there is no Vitrine instance in %s (\"vitrine serve\" creates a new one there, \"vitrine admin migrate\" copies one there)", Redacted(places.Database))
		}
	}
	return open(ctx, places, "", checkLog)
}

// With opens an existing instance, calls f and closes it.
func With(ctx context.Context, places Places, f func(*Instance) error) error {
	in, err := Open(ctx, places)
	if err != nil {
		return err
	}
	defer in.Close()
	return f(in)
}

// open opens databases and file storage. With checkLog, it returns an error if
// the view log belongs to another database or has lost views. It never creates
// a new view log for a database that had one.
func open(ctx context.Context, places Places, base string, checkLog bool) (_ *Instance, err error) {
	in := &Instance{Places: places, Now: places.Now}
	defer func() {
		if err != nil {
			in.Close()
		}
	}()
	if in.Store, err = places.OpenStore(); err != nil {
		return nil, err
	}
	if places.Shared() {
		in.Now = (&fleet.Clock{Own: places.Now, Theirs: in.Store.Time}).Now
	}
	if err = RefuseUnfinished(ctx, in.Store, places); err != nil {
		return nil, err
	}
	if err = places.logGone(ctx, in.Store); err != nil {
		return nil, places.ExplainLoss(err)
	}
	if in.Log, err = places.OpenLog(); err != nil {
		return nil, err
	}
	if checkLog {
		if err = in.LogPair().Check(ctx); err != nil {
			return nil, places.ExplainLoss(err)
		}
	}
	if in.Signer, err = signerOf(ctx, in.Store); err != nil {
		return nil, err
	}
	if in.Blobs, in.Receiver, err = places.OpenBlobs(ctx, base, in.Signer, in.Now); err != nil {
		return nil, err
	}
	in.Make(services.Ports{})
	return in, nil
}

// Make makes the services on the ports of the instance, and on what only a
// server has.
func (in *Instance) Make(server services.Ports) {
	server.Store, server.ViewLog, server.Blobs = in.Store, in.Log, in.Blobs
	server.Signer, server.Now = in.Signer, in.Now
	in.Services = services.New(server)
}

// ReserveIDs reserves the IDs that the view log and the other sources have
// seen, so that new accounts and links do not reuse them. It calls warn if the
// database was behind. Call it before creating accounts or links.
func (in *Instance) ReserveIDs(ctx context.Context, warn func(string), more ...ownership.IDSource) error {
	warning, err := ownership.ReserveIDs(ctx, in.Store, append(more, in.Log)...)
	if warning != "" {
		warn(warning)
	}
	return err
}

// StorageOrigin returns the origin of uploads to a bucket, or "" if this server
// receives uploads.
func (in *Instance) StorageOrigin() string {
	if bucket, ok := in.Blobs.(vitrine.Bucket); ok {
		return bucket.Origin()
	}
	return ""
}

// Close closes the databases.
func (in *Instance) Close() error {
	var errs []error
	if in.Log != nil {
		errs = append(errs, in.Log.Close())
	}
	if in.Store != nil {
		errs = append(errs, in.Store.Close())
	}
	return errors.Join(errs...)
}

// Ready returns an error if the store does not respond, because no page can be
// served without it. It ignores the view log: while that is unavailable, views
// are spooled, and a load balancer would otherwise remove all servers at once.
func (in *Instance) Ready(ctx context.Context) error {
	return in.Store.Read(ctx, func(tx vitrine.Tx) error {
		_, err := tx.HasAccounts()
		return err
	})
}

// StorageOwner returns the storage owner of an instance.
func (in *Instance) StorageOwner() ownership.Storage {
	return ownership.Storage{Store: in.Store, Blobs: in.Blobs}
}
