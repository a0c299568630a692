package instance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/backend/disk"
	"vitrine/internal/backend/s3"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// Names in a data directory. Only the serving process uses the spools and the
// cache.
const (
	StoreFile = "vitrine.db"
	ViewsFile = "views.db"
	FilesDir  = "files"
	SpoolDir  = "spool"
	EarlyDir  = "early" // beacons whose view another server has
)

// Places configure the storage locations: one directory, or separate ones
// for some parts.
type Places struct {
	Data     string
	Database string
	Views    string
	Files    string
	terminal *terminal.Terminal // has the clock of this machine; nil is the system's
}

// Now returns the time of this machine.
func (p Places) Now() time.Time {
	if p.terminal != nil {
		return p.terminal.Now()
	}
	return time.Now()
}

// AddFlags adds the flags to a command, and checks them.
func (p *Places) AddFlags(cmd *command.Command) {
	p.AddSettings(cmd)
	for _, f := range cmd.Options {
		if brief := briefly[f.Name]; brief != "" {
			f.Brief(brief)
		}
	}
}

// briefly is the help of the flags of commands other than serve.
var briefly = map[string]string{
	"data":     "Data directory of the instance.",
	"database": "PostgreSQL with accounts and links, as for serve.",
	"views":    "Where views are, as for serve.",
	"files":    "Bucket with the files, as for serve.",
}

// AddSettings adds the flags to a command for whose users they are settings.
func (p *Places) AddSettings(cmd *command.Command) {
	cmd.Check(func() error { return p.Validate() })
	cmd.Begin(func(t *terminal.Terminal) { p.terminal = t })
	cmd.Title("Storage")
	p.Data = "data"
	cmd.Path(&p.Data, "data", "DIR", "Data directory. Holds databases and files unless you set --database, --views or --files.").Env("VITRINE_DATA")
	cmd.String(&p.Database, "database", "URL", "PostgreSQL, version 15 or later, for accounts and links: postgres://USER:PASSWORD@HOST/NAME. Default: embedded, in the data directory.").Env("VITRINE_DATABASE").Secret()
	cmd.String(&p.Views, "views", "URL", "Where views are stored: postgres://USER:PASSWORD@HOST/NAME. Default: --database; without it, embedded in the data directory.").Env("VITRINE_VIEWS").Secret()
	cmd.String(&p.Files, "files", "URL", "Bucket for files: s3://BUCKET/PREFIX?region=REGION, with endpoint=https://HOST for providers other than Amazon, and public=https://HOST where browsers know the server by another address. Credentials are found as in AWS tools (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY). Default: in the data directory.").Env("VITRINE_FILES").Secret()
	cmd.Title("")
}

// Validate returns an error for a malformed address.
func (p Places) Validate() error {
	for _, f := range []struct {
		flag, address string
		schemes       []string
	}{
		{"--database", p.Database, []string{"postgres", "postgresql"}},
		{"--views", p.Views, []string{"postgres", "postgresql"}},
		{"--files", p.Files, []string{"s3"}},
	} {
		if f.address != "" && SchemeOf(f.address, f.schemes) == "" {
			return fmt.Errorf("%s: an address begins with %s://", f.flag, strings.Join(f.schemes, ":// or "))
		}
		if f.flag == "--files" {
			continue
		}
		if !unambiguous(f.address) {
			return fmt.Errorf("%s: the address is ambiguous. In its user name and password, write @ as %%40, : %%3A, / %%2F, ? %%3F, # %%23 and %% %%25", f.flag)
		}
	}
	if p.Files != "" {
		if _, err := s3.ParseAddress(p.Files); err != nil {
			return fmt.Errorf("--files: %w", err)
		}
	}
	return nil
}

// unambiguous reports whether an address is unambiguous. A password with
// special characters could be parsed as a host and appear in errors.
func unambiguous(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	u, err := url.Parse(address)
	return err == nil && strings.Count(authority, "@") <= 1 && !strings.Contains(u.Path+u.Fragment, "@")
}

// SchemeOf returns the scheme of an address if it is in schemes, otherwise "".
func SchemeOf(address string, schemes []string) string {
	for _, s := range schemes {
		if strings.HasPrefix(address, s+"://") {
			return s
		}
	}
	return ""
}

// Redacted returns an address without its password, and a directory as it is.
func Redacted(address string) string {
	if !strings.Contains(address, "://") {
		return address
	}
	u, err := url.Parse(address)
	if err != nil || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		scheme, _, _ := strings.Cut(address, "://")
		return scheme + "://…"
	}
	q := u.Query()
	for _, secret := range []string{"password", "sslpassword"} {
		if q.Has(secret) {
			q.Set(secret, "xxxxx")
			u.RawQuery = q.Encode()
		}
	}
	return u.Redacted()
}

// Exists reports whether an instance exists. With a database address, or if the
// directory cannot be read, it returns true: opening reports the reason.
func (p Places) Exists() bool {
	if p.Database != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(p.Data, StoreFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// IsNew reports whether a server would create an instance. It returns an error
// for a directory that cannot be opened: see Refuse.
func (p Places) IsNew(ctx context.Context) (bool, error) {
	if err := p.Refuse(); err != nil {
		return false, err
	}
	if p.Database == "" {
		return !p.Exists(), nil
	}
	l, err := sqldb.LookAt(ctx, p.Database, sqldb.StoreSchema)
	if err != nil {
		return false, err
	}
	return !l.There && len(l.Wrong) == 0, nil
}

// Shared reports whether servers on other machines may use the same instance.
func (p Places) Shared() bool { return p.Database != "" }

// OpenStore opens the database of accounts and links.
func (p Places) OpenStore() (*sqlstore.Store, error) {
	return sqlstore.Open(p.StorePlace())
}

// OpenLog opens the view log.
func (p Places) OpenLog() (*viewlog.ViewLog, error) { return viewlog.Open(p.ViewsPlace()) }

// OpenBlobs opens the file storage. base is the origin of signed URLs for a
// directory. A bucket uses its own origin.
func (p Places) OpenBlobs(ctx context.Context, base string, signer *signer.Signer,
	now func() time.Time) (vitrine.Blobs, vitrine.Receiver, error) {
	if p.Files != "" {
		b, err := s3.Open(ctx, p.Files, now)
		return b, nil, err
	}
	b, err := disk.New(filepath.Join(p.Data, FilesDir), base, signer, now)
	return b, b, err
}

// StorePlace returns the location of the database, to compare it with another.
func (p Places) StorePlace() string { return cmp.Or(p.Database, filepath.Join(p.Data, StoreFile)) }

// ViewsPlace returns the location of the view log.
func (p Places) ViewsPlace() string {
	return cmp.Or(p.Views, p.Database, filepath.Join(p.Data, ViewsFile))
}

// FilesPlace returns the location of the files.
func (p Places) FilesPlace() string { return cmp.Or(p.Files, filepath.Join(p.Data, FilesDir)) }
