package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/ownership"
	"vitrine/internal/backend/disk"
	"vitrine/internal/backend/mail"
	"vitrine/internal/backend/preview"
	"vitrine/internal/backend/s3"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/base/durable"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

// doctorCmd has the flags of the server, so that it checks the same
// configuration.
type doctorCmd struct {
	serveCmd
	ClamdConf string
	command.JSONFlag
}

func newDoctor() *command.Command {
	c := new(doctorCmd)
	cmd := command.New("doctor", "Check the configuration and suggest fixes.", c.Run)
	cmd.SuggestFor = []string{"check", "status"}
	cmd.Long = `Reads the flags and the environment of "vitrine serve", checks each part, and reports what is wrong
and what to do. It changes nothing, except that it writes and deletes test objects in a bucket. To the
public address it sends a body of 8 MiB, to measure what a proxy lets through.

Each line begins with ok, note (an optional part is not set up), warning (it works, but look at it)
or wrong. --quiet prints only warnings and what is wrong. The exit code is 1 if something is wrong,
otherwise 0. With --quiet, it is also 1 if there is no instance, because a check in a timer then names
a wrong directory.`
	cmd.Examples("doctor --data /var/lib/vitrine",
		"doctor --quiet",
		"doctor --json | jq 'select(.state == \"wrong\")'")
	cmd.Take(&c.serveCmd)
	cmd.Title("Malware scanning")
	c.ClamdConf = "/etc/clamav/clamd.conf"
	cmd.String(&c.ClamdConf, "clamd-conf", "PATH", "Configuration file of clamd on this machine.").Env("VITRINE_CLAMD_CONF")
	cmd.Title("")
	cmd.Take(&c.JSONFlag)
	return cmd
}

// severity is the severity of a finding.
type severity string

const (
	fine    severity = "ok"
	note    severity = "note" // an optional part is not set up, as on a new instance
	warning severity = "warning"
	wrong   severity = "wrong"
)

// finding is a message about a part of an instance.
type finding struct {
	Part  string   `json:"part"`
	State severity `json:"state"`
	Text  string   `json:"text"`
}

// doctor checks an instance.
type doctor struct {
	*doctorCmd
	each func(finding)
	now  func() time.Time
	// readable is set if the database of accounts and links can be opened
	// without changing it.
	readable bool
	// viewsReadable is the same of the view log.
	viewsReadable bool
	missing       bool // there is no instance
	refused       bool // a server does not start on the directory
	serving       bool // a server runs on the directory
}

func (d *doctor) report(part string, s severity, format string, args ...any) {
	d.each(finding{part, s, fmt.Sprintf(format, args...)})
}

// Run checks all parts.
func (c *doctorCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	counts := map[severity]int64{}
	var failed error
	report := func(f finding) {
		counts[f.State]++
		if t.Quiet() && (f.State == fine || f.State == note) {
			return
		}
		colour := map[severity]string{fine: terminal.Good, note: terminal.Dim, warning: terminal.Warn,
			wrong: terminal.Bad}[f.State]
		f.Text = terminal.Plain(f.Text)
		if c.JSON {
			failed = cmp.Or(failed, t.JSON(f))
			return
		}
		_, err := fmt.Fprintf(t.Out, "%s  %s: %s\n", t.Paint(colour, terminal.Pad(string(f.State), len(warning))),
			f.Part, f.Text)
		failed = cmp.Or(failed, err)
	}
	d := &doctor{doctorCmd: c, each: report, now: t.Now}
	for _, look := range []func(context.Context){d.variables, d.data, d.address, d.instance, d.database, d.views,
		d.sink, d.files, d.clamd, d.previews, d.cities, d.mail, d.public} {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		look(ctx)
	}
	switch {
	case failed != nil:
		return failed
	case counts[wrong] > 0:
		return fmt.Errorf("%s, %s", terminal.Counted(counts[wrong], "fault"),
			terminal.Counted(counts[warning], "warning"))
	case d.missing && t.Quiet():
		return &terminal.AdvisedError{Err: fmt.Errorf("there is no Vitrine instance in %s", c.Data),
			Lines: []string{"If there is one elsewhere, name its directory with --data or VITRINE_DATA."}}
	case d.missing:
		t.Say("There is no instance yet, so only the configuration was checked.")
	case counts[warning] > 0:
		t.Say("Nothing is wrong, but there is something to look at: %s.", terminal.Counted(counts[warning], "warning"))
	default:
		t.Say("Nothing is wrong.")
	}
	return nil
}

// lowFree is the free disk space below which the doctor warns.
const lowFree = 5 << 30

func (d *doctor) data(context.Context) {
	const part = "data directory"
	st, err := os.Stat(d.Data)
	if errors.Is(err, os.ErrNotExist) {
		parent := filepath.Dir(d.Data)
		if err := instance.Accessible(parent, instance.MayWrite); err != nil {
			d.report(part, wrong, "%s does not exist and cannot be created in %s (%v). Create it, and give it to the user that runs the server.", d.Data, parent, err)
			return
		}
		d.report(part, note, "%s does not exist yet: \"vitrine serve\" creates it.", d.Data)
		return
	}
	switch {
	case err != nil:
		d.report(part, wrong, "%s cannot be read: %v.", d.Data, err)
		return
	case !st.IsDir():
		d.report(part, wrong, "%s is not a directory. Choose another with --data.", d.Data)
		return
	}
	if err := instance.Accessible(d.Data, instance.MayRead|instance.MayWrite); err != nil {
		d.report(part, wrong, "This user cannot write to %s (%v). Give it to the user that runs the server.",
			d.Data, err)
	} else if st.Mode().Perm()&0o077 != 0 {
		d.report(part, warning, "Other users of this machine can read %s. Run chmod 700 on it.", d.Data)
	} else {
		d.report(part, fine, "%s exists and is writable.", d.Data)
	}
	d.diskSpace(part, d.Data)
	d.serving = d.lock()
}

func (d *doctor) diskSpace(part, dir string) {
	left, files, err := instance.RoomIn(dir)
	if err != nil {
		d.report(part, warning, "The free space of %s cannot be read: %v.", dir, err)
		return
	}
	switch {
	case left < instance.MinFree || files >= 0 && files < 1000:
		d.report(part, wrong, "%s is full: %s and %s are left. Free some space, or move it to a larger disk.", dir,
			terminal.FormatSize(left), terminal.Counted(files, "file"))
	case left < lowFree:
		d.report(part, warning, "%s is almost full: %s are left.", dir, terminal.FormatSize(left))
	default:
		d.report(part, fine, "%s has enough free space: %s.", dir, terminal.FormatSize(left))
	}
}

// lock reports whether a server is running on the instance.
func (d *doctor) lock() (serving bool) {
	f, err := os.Open(filepath.Join(d.Data, instance.LockFile))
	if err != nil {
		d.report("server", fine, "No server has ever run on %s.", d.Data)
		return false
	}
	defer f.Close()
	process, address := instance.LastServer(d.Data)
	if l, err := durable.Lock(f, durable.Hold{Shared: true}); err == nil {
		defer l.Close()
		d.report("server", fine, "No server is running on %s; you can start one.", d.Data)
		return false
	}
	d.report("server", fine, "A server runs on %s: process %s, at %s.", d.Data, process, address)
	return true
}

// instance reports a directory that a server refuses, and warns if there is no
// instance: --data may be wrong. Problems of the database are reported with it.
func (d *doctor) instance(ctx context.Context) {
	if err := d.Refuse(); err != nil {
		d.refused = true
		d.report("instance", wrong, "%s.", upperFirst(err.Error()))
		return
	}
	isNew, err := d.IsNew(ctx)
	if d.missing = err == nil && isNew; d.missing {
		d.report("instance", warning, "There is no Vitrine instance in %s. To create one, start \"vitrine serve\" with these settings. To check another one, set --data (VITRINE_DATA) or --database.",
			instance.Redacted(cmp.Or(d.Database, d.Data)))
	}
}

func (d *doctor) database(ctx context.Context) {
	d.readable = d.checkDatabase(ctx, "database", d.StorePlace(), "--database", sqldb.StoreSchema)
}

// clockSkew is the maximum difference between the clocks of this machine and a
// database. Leases and expiring links depend on them.
const clockSkew = 5 * time.Second

// slowResponse is the response time from which the doctor warns about a
// database.
const slowResponse = 20 * time.Millisecond

// checkDatabase checks a database. It reports whether it has this version's
// schema and can be opened.
func (d *doctor) checkDatabase(ctx context.Context, part, place, flag, schema string) bool {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	l, err := sqldb.LookAt(ctx, place, schema)
	if err != nil {
		next := ""
		if strings.Contains(place, "://") { // a server, not a file
			next = " Check that it runs, and " + flag + "."
		}
		d.report(part, wrong, "%s cannot be read: %v.%s", instance.Redacted(place), withoutPassword(err, place), next)
		return false
	}
	for _, text := range l.Wrong {
		d.report(part, wrong, "%s (%s): %s", instance.Redacted(place), l.Server, text)
	}
	for _, text := range l.Doubts {
		d.report(part, warning, "%s (%s): %s", instance.Redacted(place), l.Server, text)
	}
	switch {
	case len(l.Wrong) > 0:
	case !l.There && d.refused: // this is reported already
	case !l.There:
		d.report(part, fine, "%s is empty: \"vitrine serve\" creates what it needs.", instance.Redacted(place))
	case l.Version < l.Known:
		d.report(part, warning, "%s (%s) has schema version %d: this version of the server upgrades it to %d when it starts, and older versions cannot use it afterwards. Make a backup with the older version first.",
			instance.Redacted(place), l.Server, l.Version, l.Known)
	default:
		d.report(part, fine, "%s (%s, schema version %d) answers in %s.", instance.Redacted(place), l.Server, l.Version,
			l.Took.Round(10*time.Microsecond))
	}
	if l.Took > slowResponse && strings.Contains(place, "://") { // a local file is never slow
		d.report(part, warning, "It takes %s to respond, and each page sends it several queries. Run the server closer to it.",
			l.Took.Round(time.Millisecond))
	}
	if l.Off.Abs() > clockSkew {
		d.report("clock", wrong, "The clocks of this machine and of the database differ by %s. Synchronize both with NTP.",
			l.Off.Abs().Round(time.Second))
	} else if d.Database != "" && schema == sqldb.StoreSchema {
		d.report("clock", fine, "The clock of the database agrees within %s.",
			max(l.Off.Abs(), time.Millisecond).Round(time.Millisecond))
	}
	return l.There && l.Version == l.Known && len(l.Wrong) == 0
}

// withoutPassword returns an error text without the password of the address.
func withoutPassword(err error, address string) string {
	return strings.ReplaceAll(err.Error(), address, instance.Redacted(address))
}

func (d *doctor) views(ctx context.Context) {
	d.viewsReadable = d.checkDatabase(ctx, "views", d.ViewsPlace(), "--views", sqldb.ViewLogSchema)
}

func (d *doctor) files(ctx context.Context) {
	const part = "files"
	if d.Files == "" {
		dir := filepath.Join(d.Data, instance.FilesDir)
		err := instance.Accessible(dir, instance.MayRead|instance.MayWrite)
		switch {
		case errors.Is(err, os.ErrNotExist):
			d.report(part, fine, "%s is created at the first start.", dir)
		case err != nil:
			d.report(part, wrong, "This user cannot write to %s (%v). Give it to the user that runs the server.",
				dir, err)
		default:
			d.report(part, fine, "%s is writable.", dir)
			if other, err := otherDevice(d.Data, dir); err == nil && other {
				d.diskSpace(part, dir)
			}
			d.checkStorageOwner(ctx, func() (vitrine.Blobs, error) { return disk.New(dir, "", nil, d.now) })
		}
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	b, err := s3.Open(ctx, d.Files, d.now)
	if err == nil {
		err = b.Check(ctx)
	}
	if err != nil {
		d.report(part, wrong, "%s: %s", instance.Redacted(d.Files), withoutPassword(err, d.Files))
		return
	}
	d.report(part, fine, "%s passes all checks.", instance.Redacted(d.Files))
	d.checkStorageOwner(ctx, func() (vitrine.Blobs, error) { return b, nil })
	if d.PublicURL == "" {
		d.report(part, warning, "Without --public-url, uploads from browsers to the bucket cannot be checked.")
		return
	}
	public, err := notation.Origin("--public-url", d.PublicURL)
	if err == nil {
		err = b.CorsMissing(ctx, public.String())
	}
	if err != nil {
		d.report(part, wrong, "%v", err)
		return
	}
	d.report(part, fine, "Browsers may upload to it from %s.", public)
}

// checkStorageOwner checks whether the file storage belongs to this database.
func (d *doctor) checkStorageOwner(ctx context.Context, open func() (vitrine.Blobs, error)) {
	const part = "files"
	if !d.readable {
		return
	}
	blobs, err := open()
	if err == nil {
		err = d.check(ctx, blobs)
	}
	switch {
	case err == nil:
		d.report(part, fine, "The files belong to this database.")
	case errors.Is(err, ownership.ErrOtherStorage):
		d.report(part, wrong, "%s.", upperFirst(instance.OtherOwner(err)))
	default:
		d.report(part, wrong, "The owner of the files cannot be read: %s.", withoutPassword(err, d.StorePlace()))
	}
}

func (d *doctor) check(ctx context.Context, blobs vitrine.Blobs) error {
	store, err := sqlstore.Open(d.StorePlace())
	if err != nil {
		return err
	}
	return errors.Join(ownership.Storage{Store: store, Blobs: blobs}.Verify(ctx), store.Close())
}

// upperFirst returns a text that begins with a capital letter.
func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// otherDevice reports whether two directories are on different file systems.
func otherDevice(a, b string) (bool, error) {
	x, err1 := instance.DeviceOf(a)
	y, err2 := instance.DeviceOf(b)
	return x != y, errors.Join(err1, err2)
}

func (d *doctor) previews(ctx context.Context) {
	const part = "previews"
	m, err := preview.New(preview.Options{Office: d.Office, FFmpeg: d.FFmpeg, Heif: d.Heif})
	if err != nil {
		d.report(part, wrong, "%v.", err)
		return
	}
	walls := true
	m.Warn = func(what string) {
		walls = false
		d.report(part, warning, "%s.", strings.ToUpper(what[:1])+what[1:])
	}
	if err := m.Probe(ctx); err != nil {
		d.report(part, wrong, "The process that reads files does not start: %v.", err)
	} else if walls {
		d.report(part, fine, "Files are read behind namespaces, Landlock and a filter of system calls.")
	}
	for flag, path := range map[string]string{"--office": d.Office, "--ffmpeg": d.FFmpeg, "--heif": d.Heif} {
		if path == "" || path == preview.Off {
			continue
		}
		if err := instance.Accessible(path, 0); err != nil {
			d.report(part, wrong, "%s: %s cannot be run (%v). Correct the path.", flag, path, err)
		}
	}
	if missing := m.Missing(); len(missing) > 0 {
		d.report(part, note, "These programs are not installed or are switched off, so some files have no preview: %s. On Debian: apt install libreoffice ffmpeg libheif-examples.", strings.Join(missing, ", "))
		return
	}
	d.report(part, fine, "All preview programs are installed.")
}

func (d *doctor) mail(ctx context.Context) {
	const part = "mail"
	if d.SMTP == "" && d.serving {
		d.report(part, note, "No mail server was tried. If the running server has one, give doctor the same --smtp.")
		return
	}
	if d.SMTP == "" {
		d.report(part, note, "No mail server is set (--smtp), so you pass on password resets and invitations by hand.")
		return
	}
	s, err := mail.New(mail.Options{Server: d.SMTP, From: d.MailFrom})
	if err == nil {
		err = s.Reach(ctx)
	}
	if err != nil {
		d.report(part, wrong, "The mail server cannot be used: %s. Check --smtp.",
			strings.TrimSuffix(withoutPassword(err, d.SMTP), "."))
		return
	}
	d.report(part, fine, "%s accepts the login. No message was sent.", instance.Redacted(d.SMTP))
}
