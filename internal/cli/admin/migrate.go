package admin

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/fleet"
	"vitrine/internal/backend/s3"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

type migrateCmd struct {
	From   string
	To     []string
	AtOnce int
	Deep   bool
	command.JSONFlag
}

func newMigrate() *command.Command {
	c := new(migrateCmd)
	cmd := command.New("migrate", "Copy an instance to PostgreSQL, a bucket or another directory.", c.Run)
	cmd.Long = `Copies everything: accounts, keys, sessions, links, history, views, tallies and files. Stop the
server first. The instance does not change. Afterwards serve only the new one.

A file with settings has lines such as VITRINE_DATABASE=postgres://…, as for the server (systemd’s
EnvironmentFile, docker’s --env-file): VITRINE_DATA, VITRINE_DATABASE, VITRINE_VIEWS and
VITRINE_FILES are read, and the last three also with _FILE at the end: the file that has the value.
Keep passwords there: other users of the machine can see those on a command line. Credentials of a
bucket are found as in the server.

Every part can move in both directions, so a directory can become a fleet and a fleet a directory
again. If it is interrupted, run it again: it continues. At the end it compares all rows and the size
and SHA-256 of all files, and audits the new instance.`
	cmd.Examples("admin migrate data postgres://vitrine@db.example/vitrine",
		"admin migrate data 'postgres://vitrine@db.example/vitrine' 's3://bucket?region=eu-central-1'",
		"admin migrate data database=postgres://db.example/vitrine views=postgres://other.example/vitrine",
		"admin migrate data new.env", "admin migrate old.env data")
	cmd.Arg(&c.From, "from", "The current location: the data directory, or a file with the settings.")
	cmd.Rest(&c.To, "to", "The new location: a directory, a file with settings, or addresses: postgres://… for accounts, links and views, s3://… for files. Write views=postgres://… for views only. Parts without an address stay where they are, or go into the directory if there is one.")
	c.AtOnce = 8
	cmd.Int(&c.AtOnce, "at-once", "N", "How many files are copied at the same time.")
	cmd.Bool(&c.Deep, "deep", "Also read the copied files back and compare their SHA-256.")
	cmd.Take(&c.JSONFlag)
	return cmd
}

// Run migrates an instance.
func (c *migrateCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if c.AtOnce < 1 {
		return terminal.Usage("--at-once must be 1 or more")
	}
	from, to, err := c.places()
	if err != nil {
		return err
	}
	m := &migration{from: end{Places: from}, to: end{Places: to}, atOnce: c.AtOnce, deep: c.Deep, t: t,
		meter: &terminal.Meter{T: t}}
	defer m.meter.End()
	err = m.run(ctx)
	m.meter.End()
	if err != nil {
		return err
	}
	if c.JSON {
		if err := t.JSON(&m.result); err != nil {
			return err
		}
	} else {
		m.printResult()
	}
	if n := len(m.result.Damaged); n > 0 {
		return fmt.Errorf("everything was copied, but the bytes of %s were already damaged or missing: %s",
			terminal.Counted(int64(n), "file"), strings.Join(m.result.Damaged, ", "))
	}
	return nil
}

// places returns the current and the new storage locations.
func (c *migrateCmd) places() (from, to instance.Places, err error) {
	if from, err = settingsOf(c.From); err != nil {
		return from, to, err
	}
	to = from
	var named []string // override locations from a directory or a settings file
	for _, word := range c.To {
		if _, _, ok := placeNamed(word); ok || strings.Contains(word, "://") {
			named = append(named, strings.Fields(word)...)
		} else if to, err = settingsOf(word); err != nil {
			return from, to, err
		}
	}
	return from, to, errors.Join(setLocations(&to, named), from.Validate(), to.Validate())
}

// placeNamed splits an argument such as files=s3://bucket.
func placeNamed(word string) (name, place string, ok bool) {
	name, place, ok = strings.Cut(word, "=")
	return name, place, ok && (name == "data" || name == "database" || name == "views" || name == "files")
}

// setLocations sets locations from arguments. Each is NAME=LOCATION, or an
// address whose scheme determines the part.
func setLocations(p *instance.Places, words []string) (err error) {
	for _, word := range words {
		name, place, ok := placeNamed(word)
		if !ok {
			place = word
		}
		switch {
		case name == "data" && ok:
			if p.Data, err = filepath.Abs(place); err != nil {
				return err
			}
		case name == "database" && ok, instance.SchemeOf(word, []string{"postgres", "postgresql"}) != "":
			p.Database = place
		case name == "views" && ok:
			p.Views = place
		case name == "files" && ok, instance.SchemeOf(word, []string{"s3"}) != "":
			p.Files = place
		default:
			return terminal.Usage(fmt.Sprintf("%s: an address begins with postgres:// or s3://", instance.Redacted(word)))
		}
	}
	return nil
}

// settingsOf returns the locations from an argument: a data directory, or a
// file with settings.
func settingsOf(word string) (p instance.Places, err error) {
	if _, _, ok := placeNamed(word); ok {
		p.Data, _ = filepath.Abs("data")
		return p, setLocations(&p, strings.Fields(word))
	}
	if strings.Contains(word, "://") {
		return p, terminal.Usage(fmt.Sprintf("%s: give the current location of the instance: its data directory, or a file with its settings", instance.Redacted(word)))
	}
	if p.Data, err = filepath.Abs(word); err != nil {
		return p, err
	}
	if st, err := os.Stat(word); err != nil || st.IsDir() {
		return p, nil // a missing directory is created
	}
	p.Data = "data"
	f, err := os.Open(word)
	if err != nil {
		return p, err
	}
	defer f.Close()
	settings := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "export "), "=")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		settings[strings.TrimSpace(name)] = value
	}
	if err := lines.Err(); err != nil {
		return p, fmt.Errorf("%s: %w", word, err)
	}
	p.Data = cmp.Or(settings["VITRINE_DATA"], p.Data)
	known := settings["VITRINE_DATA"] != ""
	for variable, place := range map[string]*string{"VITRINE_DATABASE": &p.Database, "VITRINE_VIEWS": &p.Views,
		"VITRINE_FILES": &p.Files} {
		value, name, err := command.VariableOf(variable, func(name string) string { return settings[name] })
		if err != nil {
			return p, terminal.Usage(fmt.Sprintf("%s: %s: %s", word, name, err))
		}
		if value != "" {
			*place, known = value, true
		}
	}
	if !known {
		return p, terminal.Usage(fmt.Sprintf("%s has none of VITRINE_DATA, VITRINE_DATABASE, VITRINE_VIEWS and VITRINE_FILES: it does not name an instance", word))
	}
	p.Data, err = filepath.Abs(p.Data)
	return p, err
}

// migrated is the result of a migration.
type migrated struct {
	Rows      int64    `json:"rows"`
	RowBytes  int64    `json:"rowBytes"`
	RowMs     int64    `json:"rowMs"`
	Files     int64    `json:"files"`
	FileBytes int64    `json:"fileBytes"` // counts only copied files
	FileMs    int64    `json:"fileMs"`
	CheckMs   int64    `json:"checkMs"`
	Damaged   []string `json:"damaged,omitempty"`
}

// end is the source or the target of a migration.
type end struct {
	instance.Places
	store *sqlstore.Store
	log   *viewlog.ViewLog
	blobs vitrine.Blobs
	lock  instance.ServingLock
}

func (e *end) close() error {
	var errs []error
	if e.log != nil {
		errs = append(errs, e.log.Close())
	}
	if e.store != nil {
		errs = append(errs, e.store.Close())
	}
	if e.lock.File != nil {
		errs = append(errs, e.lock.Close())
	}
	return errors.Join(errs...)
}

func (e *end) open(ctx context.Context) (err error) {
	if e.store, err = e.OpenStore(); err != nil {
		return err
	}
	if e.log, err = e.OpenLog(); err != nil {
		return err
	}
	e.blobs, _, err = e.OpenBlobs(ctx, "", nil, time.Now)
	return err
}

// migration copies an instance from one end to the other. It skips parts whose
// location does not change.
type migration struct {
	from, to end
	atOnce   int
	deep     bool
	t        *terminal.Terminal
	meter    *terminal.Meter
	result   migrated
}

func (m *migration) run(ctx context.Context) (err error) {
	store, views, files := m.moves()
	if !store && !views && !files {
		return terminal.Usage("the instance is already there")
	}
	if !m.from.Exists() {
		return fmt.Errorf("there is no Vitrine instance in %s", m.from.Data)
	}
	if err := m.mayFill(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.to.close(), m.from.close()) }()
	if err := m.begin(ctx); err != nil {
		return err
	}
	begun := time.Now()
	if store {
		if err := m.from.store.CopyTo(ctx, m.to.store, m.startRowProgress("accounts and links")); err != nil {
			return err
		}
	}
	if views {
		if err := m.from.log.CopyTo(ctx, m.to.log, m.startRowProgress("views")); err != nil {
			return err
		}
	}
	m.result.RowMs = time.Since(begun).Milliseconds()
	begun = time.Now()
	if files {
		if err := m.files(ctx); err != nil {
			return err
		}
	}
	m.result.FileMs = time.Since(begun).Milliseconds()
	begun = time.Now()
	if err := m.check(ctx, store, views); err != nil {
		return err
	}
	m.result.CheckMs = time.Since(begun).Milliseconds()
	if err := copyEarly(ctx, m.from.Data, m.to.Data); err != nil {
		return err
	}
	if files {
		if err := m.mark(ctx); err != nil {
			return err
		}
	}
	if store {
		return instance.MarkUnfinished(ctx, m.to.store, false)
	}
	return nil
}

// mayFill returns an error if an end is a backup, or if the new directory has
// files that no instance and no earlier run has left there.
func (m *migration) mayFill() error {
	if err := errors.Join(m.from.RefuseBackup(), m.to.RefuseBackup()); err != nil || m.to.Data == m.from.Data {
		return err
	}
	_, used, err := dirState(m.to.Data)
	if err != nil || !used {
		return err
	}
	_, err = os.Stat(filepath.Join(m.to.Data, instance.LockFile))
	if err == nil || m.to.Database == "" && m.to.Exists() {
		return nil
	}
	return fmt.Errorf("%s exists and is not empty; choose a new directory", m.to.Data)
}

// moves reports which parts have a new location.
func (m *migration) moves() (store, views, files bool) {
	return m.from.StorePlace() != m.to.StorePlace(), m.from.ViewsPlace() != m.to.ViewsPlace(),
		m.from.FilesPlace() != m.to.FilesPlace()
}

// begin checks that no server runs on either end, and that the target is empty
// or contains only data of an earlier run. First it writes the spooled views to
// the log.
func (m *migration) begin(ctx context.Context) (err error) {
	for _, e := range []*end{&m.from, &m.to} {
		if e == &m.to && e.Data == m.from.Data {
			break
		}
		if _, err := os.Stat(e.Data); e == &m.from && e.Shared() && errors.Is(err, fs.ErrNotExist) {
			continue // nothing of the instance is in a directory here
		}
		if err := os.MkdirAll(e.Data, 0o700); err != nil {
			return err
		}
		if e.lock, err = instance.LockServing(e.Data); err != nil {
			return err
		}
	}
	if err := m.from.open(ctx); err != nil {
		return err
	}
	if err := instance.RefuseUnfinished(ctx, m.from.store, m.from.Places); err != nil {
		return err
	}
	if m.from.Shared() {
		holders, err := fleet.Holders(ctx, m.from.store.Leases,
			func() { m.t.Say("Waiting %s to check that no server is running.", fleet.ServedWithin) })
		if err == nil && len(holders) > 0 {
			err = fmt.Errorf("the instance is being served (by %s): stop its servers",
				terminal.Plain(strings.Join(holders, ", ")))
		}
		if err != nil {
			return err
		}
	}
	if err := drainSpools(ctx, m.from.store, m.from.log, m.from.Data, m.from.Shared()); err != nil {
		return fmt.Errorf("write the spool to the view log: %w", err)
	}
	if err := m.to.open(ctx); err != nil {
		return err
	}
	return m.fits(ctx)
}

func (m *migration) fits(ctx context.Context) error {
	store, views, files := m.moves()
	if b, ok := m.to.blobs.(*s3.Blobs); ok && files {
		if err := b.Check(ctx); err != nil {
			return err
		}
	}
	if store {
		if err := m.from.store.Fits(ctx, m.to.store); err != nil {
			return withHint(err)
		}
	}
	if views {
		if err := m.from.log.Fits(ctx, m.to.log); err != nil {
			return withHint(err)
		}
	}
	if files {
		if err := m.filesFit(ctx); err != nil {
			return withHint(err)
		}
	}
	if store {
		return instance.MarkUnfinished(ctx, m.to.store, true)
	}
	return nil
}

// withHint adds a hint to the error about a target with other data.
func withHint(err error) error {
	if errors.Is(err, sqldb.ErrOtherData) {
		return fmt.Errorf("%w. Choose an empty target. If an earlier migration to it was interrupted and the instance was served since, empty it first", err)
	}
	return err
}

// startRowProgress starts the progress of a step and returns a function that
// advances it.
func (m *migration) startRowProgress(what string) sqldb.Copied {
	m.meter.Begin(what, -1)
	return func(_ string, rows, bytes int64) {
		m.result.Rows += rows
		m.result.RowBytes += bytes
		m.meter.Add(bytes)
	}
}

// check compares the copy with the source and audits the target.
func (m *migration) check(ctx context.Context, store, views bool) error {
	m.meter.Begin("comparing", -1)
	var differences []string
	if store {
		d, err := m.from.store.Compare(ctx, m.to.store)
		if err != nil {
			return err
		}
		differences = append(differences, d...)
	}
	if views {
		d, err := m.from.log.Compare(ctx, m.to.log)
		if err != nil {
			return err
		}
		differences = append(differences, d...)
	}
	m.meter.End()
	if len(differences) > 0 {
		return fmt.Errorf("the copy differs: %s. The instance was served after the migration began: empty the target and start again", strings.Join(differences, "; "))
	}
	faults := 0
	a := &audit.Checker{Store: m.to.store, Blobs: m.to.blobs, Log: m.to.log, Now: time.Now, Deep: m.deep}
	err := a.Run(ctx, func(fault string) {
		faults++
		fmt.Fprintln(m.t.Out, terminal.Plain(fault))
	})
	switch {
	case err != nil:
		return fmt.Errorf("everything was copied, but the audit did not finish: %w", err)
	case faults > len(m.result.Damaged):
		return fmt.Errorf("everything was copied, but the audit of the new instance found faults: %d. Check whether \"vitrine admin audit\" finds them in the old one, too", faults)
	}
	return nil
}

// printResult prints the result and the settings for the new instance.
func (m *migration) printResult() {
	r := m.result
	rate := func(n, ms int64) int64 { return n * 1000 / max(ms, 1) }
	m.t.Say("%s (%s) in %s, %s a second; %s (%s) in %s, %s a second; compared and audited in %s.",
		terminal.Counted(r.Rows, "row"), terminal.FormatSize(r.RowBytes), terminal.Duration(r.RowMs),
		terminal.Counted(rate(r.Rows, r.RowMs), "row"),
		terminal.Counted(r.Files, "file"), terminal.FormatSize(r.FileBytes), terminal.Duration(r.FileMs),
		terminal.FormatSize(rate(r.FileBytes, r.FileMs)), terminal.Duration(r.CheckMs))
	m.t.Say("The old instance did not change. From now on serve only the new one, with these settings:")
	m.t.Say("  VITRINE_DATA=%s", notation.ShellWord(m.to.Data))
	for _, s := range [][2]string{{"VITRINE_DATABASE", m.to.Database}, {"VITRINE_VIEWS", m.to.Views},
		{"VITRINE_FILES", m.to.Files}} {
		if s[1] != "" {
			m.t.Say("  %s=%s", s[0], notation.ShellWord(instance.Redacted(s[1])))
		}
	}
}
