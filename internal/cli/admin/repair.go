package admin

import (
	"context"
	"errors"

	"vitrine/internal/app/ownership"
	"vitrine/internal/backend/s3"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

// newRepair returns the commands for parts of an instance that do not fit each
// other. Each says what is wrong, and what its change means.
func newRepair() *command.Command {
	return command.NewGroup("repair", "Mend an instance whose view log, files or bucket do not fit it.",
		newRepairViews(), newRepairFiles(), newRepairCORS())
}

// bucketFlags are the flags of commands for an instance with a bucket.
type bucketFlags struct {
	instance.Places
	PublicURL string
}

// AddFlags adds the flags to a command.
func (f *bucketFlags) AddFlags(cmd *command.Command) {
	cmd.Take(&f.Places)
	cmd.String(&f.PublicURL, "public-url", "URL", "Address of the instance as visitors type it.").Env("VITRINE_PUBLIC_URL")
}

// bucket calls do with the bucket of an instance. public is the origin of the
// upload page, or "" if it is unknown.
func (f bucketFlags) bucket(ctx context.Context,
	do func(in *instance.Instance, b *s3.Blobs, public string) error) error {
	public := ""
	if f.PublicURL != "" {
		u, err := notation.Origin("--public-url", f.PublicURL)
		if err != nil {
			return terminal.Usage(err.Error())
		}
		public = u.String()
	}
	return instance.With(ctx, f.Places, func(in *instance.Instance) error {
		b, ok := in.Blobs.(*s3.Blobs)
		if !ok {
			return errors.New("the files of this instance are in its data directory, not in a bucket (--files)")
		}
		return do(in, b, public)
	})
}

type repairCORSCmd struct {
	bucketFlags
}

func newRepairCORS() *command.Command {
	c := new(repairCORSCmd)
	cmd := command.New("cors", "Allow browser uploads to the bucket (CORS). Keeps other rules.", c.Run)
	cmd.Examples("admin repair cors --public-url https://share.example")
	cmd.Take(&c.bucketFlags)
	return cmd
}

func (c *repairCORSCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if c.PublicURL == "" {
		return terminal.Usage("--public-url is missing: the address whose pages upload files to the bucket")
	}
	return c.bucket(ctx, func(_ *instance.Instance, b *s3.Blobs, public string) error {
		if err := b.Cors(ctx, public); err != nil {
			return err
		}
		if err := b.CorsMissing(ctx, public); err != nil {
			return errors.New("the CORS rule is saved, but the bucket does not apply it yet; wait a minute, then run: vitrine doctor")
		}
		t.Say("Pages of %s can upload files to the bucket at %s.", public, b.Origin())
		return nil
	})
}

type repairFilesCmd struct {
	instance.Places
	Yes bool
}

func newRepairFiles() *command.Command {
	c := new(repairFilesCmd)
	cmd := onInstance("files", "Assign the file storage to this database. Explains the consequences first.", &c.Places, c.Run)
	cmd.Long = `A server deletes files that its database does not know. To protect the files of another instance,
the storage contains a marker that changes every hour, and the database has a copy of it. If the two
differ, the server deletes nothing and logs a warning. Then another instance or a copy of the
database has used the same files, or the database was restored to an earlier moment. Find out which,
stop the other server, and claim the files.`
	cmd.Examples("admin repair files")
	cmd.Take(&c.Places)
	cmd.Confirm(&c.Yes)
	return cmd
}

// Run claims the storage for the database.
func (c *repairFilesCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	where := instance.Redacted(c.FilesPlace())
	err := in.StorageOwner().Verify(ctx)
	if err != nil && !errors.Is(err, ownership.ErrOtherStorage) {
		return err
	}
	if err == nil {
		t.Say("The files in %s belong to this database.", terminal.Plain(where))
		return nil
	}
	files, bytes, err := in.StorageOwner().CountUnowned(ctx)
	if err != nil {
		return err
	}
	t.Say("The files in %s were last used by another database, or by a later state of this one.", terminal.Plain(where))
	t.Say("It contains %s, %s in all, that this database does not know. After the claim, its server deletes them.",
		terminal.Counted(files, "file"), terminal.FormatSize(bytes))
	if ok, err := t.Confirmed(c.Yes, "Claim them?"); err != nil || !ok {
		return err
	}
	if err := in.StorageOwner().Claim(ctx); err != nil {
		return err
	}
	t.Say("The files in %s now belong to this database.", terminal.Plain(where))
	return nil
}
