package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/ownership"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/report"
)

type auditCmd struct {
	instance.Places
	command.JSONFlag
	Deep bool
	All  bool
	// Repair implies All.
	Repair bool
}

func newAudit() *command.Command {
	c := new(auditCmd)
	cmd := command.New("audit", "Check the database against the files and print every fault.", c.Run)
	cmd.Long = `Prints each fault on a line, with --json as {"fault": …}. The exit code is 1 if there are any. With --repair, days with a wrong
or missing tally are marked as stale, with all later days of the account, and their tallies are
rebuilt. Then everything is audited again, with all tallies. A server may run at the same time.
Views, counts and files are not derived from other data: if these have faults, restore a backup. The
last line is the number of faults that --repair can repair.`
	cmd.Examples("admin audit",
		"admin audit --repair")
	cmd.Take(&c.Places)
	cmd.Bool(&c.Deep, "deep", "Also read the bytes of every file and compare their SHA-256.")
	cmd.Bool(&c.All, "all", "Recount all stored tallies from the views, not a sample.")
	cmd.Bool(&c.Repair, "repair", "Rebuild wrong or missing tallies from the views. Changes nothing else.")
	cmd.Take(&c.JSONFlag)
	return cmd
}

// Run prints each fault on a line. It returns an error if there are any.
func (c *auditCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if c.Repair {
		if err := c.RefuseBackup(); err != nil {
			return err
		}
	}
	faults, tallies := 0, 0
	fault := func(text string) {
		faults++
		if c.JSON {
			_ = t.JSON(map[string]string{"fault": text}) // the exit code says that there are faults
			return
		}
		fmt.Fprintln(t.Out, terminal.Plain(text))
	}
	tally := func(text string) {
		tallies++
		fault(text)
	}
	if err := databaseFaults(ctx, c.Places, fault); err != nil {
		return err
	}
	in, err := instance.OpenUnchecked(ctx, c.Places)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := in.LogPair().Check(ctx); errors.Is(err, ownership.ErrLoss) {
		fault(c.ExplainLoss(err).Error())
	} else if err != nil {
		return err
	}
	if c.Repair {
		if err := c.repair(ctx, t, in); err != nil {
			return err
		}
	}
	a := &audit.Checker{Store: in.Store, Blobs: in.Blobs, Log: in.Log, Now: in.Now, Deep: c.Deep, All: c.All ||
		c.Repair, Tally: tally}
	err = a.Run(ctx, fault)
	switch {
	case err != nil:
		return fmt.Errorf("the audit did not finish: %w", err)
	case faults > 0:
		return fmt.Errorf("faults found: %d. %s", faults, auditAdvice(faults, tallies, c.Repair))
	}
	if !c.Deep {
		t.Say("No faults, but the bytes of files were not compared: --deep compares them.")
		return nil
	}
	t.Say("No faults.")
	return nil
}

// databaseFaults calls fault with what SQLite finds damaged in the database
// files of an instance.
func databaseFaults(ctx context.Context, places instance.Places, fault func(string)) error {
	for _, path := range []string{places.StorePlace(), places.ViewsPlace()} {
		if strings.Contains(path, "://") {
			continue // a server checks its own pages
		}
		damage, err := sqldb.CheckFile(ctx, path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // opening says what is missing
			return err
		}
		for _, what := range damage {
			fault(fmt.Sprintf("database %s: %s", filepath.Base(path), what))
		}
	}
	return nil
}

// repair rebuilds the tallies from the views.
func (c *auditCmd) repair(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	accounts := 0
	err := in.Log.Rebuild(ctx, func(a vitrine.AccountID, from report.Day) {
		accounts++
		t.Say("Account %d: the stored tallies from %v on are rebuilt.", a, from)
	})
	if err == nil && accounts == 0 {
		t.Say("All stored tallies are correct.")
	}
	return err
}

// auditAdvice returns the next step after faults. tallies is the number of
// faults in stored tallies.
func auditAdvice(faults, tallies int, repaired bool) string {
	switch {
	case tallies == 0:
		return "The audit cannot repair them: restore a backup"
	case repaired: // another process changed the log, or the disk fails
		return "Stored tallies are wrong again: check the disk and the database"
	case tallies == faults:
		return `All are in stored tallies: "vitrine admin audit --repair" rebuilds them`
	}
	return fmt.Sprintf(`%d are in stored tallies: "vitrine admin audit --repair" rebuilds them. For the other faults, restore a backup`,
		tallies)
}
