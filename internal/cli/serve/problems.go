package serve

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/notify"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

const (
	// problemsEvery is the interval of looking for problems.
	problemsEvery = 5 * time.Minute
	// backupAge is the age of the last backup from which administrators are
	// mailed, again for each backupAgain that it becomes older.
	backupAge   = 14 * 24 * time.Hour
	backupAgain = 30 * 24 * time.Hour
)

// problemWatch mails administrators the problems that it finds twice in a row.
type problemWatch struct {
	look   func(context.Context) ([]notify.Problem, error)
	mail   func(context.Context, []notify.Problem) error
	before map[string]bool
}

// check looks once.
func (w *problemWatch) check(ctx context.Context) error {
	found, err := w.look(ctx)
	if err != nil {
		return err
	}
	var lasting []notify.Problem
	now := map[string]bool{}
	for _, p := range found {
		if now[p.Name] = true; w.before[p.Name] {
			lasting = append(lasting, p)
		}
	}
	w.before = now
	return w.mail(ctx, lasting)
}

// problemLoops returns work of each process, and work of one process: they mail
// administrators the problems of a server and those of the instance.
func (c *serveCmd) problemLoops(s *service) (own, shared *fleet.Loop) {
	loop := func(name string, look func(context.Context) ([]notify.Problem, error)) *fleet.Loop {
		w := &problemWatch{look: look, mail: s.instance.Notify.Problems}
		return fleet.NewLoop(name, problemsEvery, s.log, w.check)
	}
	return loop("problems of this server", func(context.Context) ([]notify.Problem, error) {
			return c.hostProblems(s.spools, lowFree)
		}), loop("problems of the instance", func(ctx context.Context) ([]notify.Problem, error) {
			return c.sharedProblems(ctx, s)
		})
}

// hostProblems finds the problems of this process: a disk with less than least
// bytes, and views in the spool.
func (c *serveCmd) hostProblems(spools *instance.Spools, least int64) (list []notify.Problem, err error) {
	name, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	add := func(what, format string, args ...any) {
		list = append(list, notify.Problem{Name: what + " on " + name, Text: fmt.Sprintf(format, args...)})
	}
	dirs := []string{c.Data}
	if files := filepath.Join(c.Data, instance.FilesDir); c.Files == "" {
		if other, err := otherDevice(c.Data, files); err == nil && other {
			dirs = append(dirs, files)
		}
	}
	for _, dir := range dirs {
		if left, _, err := instance.RoomIn(dir); err == nil && left < least {
			add("disk "+dir, "The disk of %s on %s is almost full: %s are left.", dir, name, terminal.FormatSize(left))
		}
	}
	if n := spools.Spool.Size(); n > 0 {
		add("spool", "Views cannot be written to the view log, so %s wait on the disk of %s. The log of the server says why.",
			terminal.FormatSize(n), name)
	}
	return list, nil
}

// sharedProblems finds the problems that all processes have: those of scanners
// and backups.
func (c *serveCmd) sharedProblems(ctx context.Context, s *service) (list []notify.Problem, err error) {
	if s.scanner.clamd != nil {
		for _, h := range s.scanner.clamd.Check(ctx) {
			if h.Err != nil {
				list = append(list, notify.Problem{Name: "scanner " + h.Address,
					Text: "A malware scanner does not work: " + h.String()})
			}
		}
	}
	if c.Database != "" || c.Views != "" || c.Files != "" {
		return list, nil // backed up by other programs
	}
	last, err := instance.LastBackup(c.Data)
	if err != nil {
		return list, err
	}
	text := fmt.Sprintf("The last backup is from %s. Make one with “vitrine admin backup”.", last.UTC().Format("2 Jan 2006"))
	if last.IsZero() {
		text = "No backup has been made of this instance. Make one with “vitrine admin backup”."
		first, err := vitrine.Read(ctx, s.instance.Store, func(tx vitrine.Tx) ([]*vitrine.Account, error) {
			return tx.Accounts(vitrine.AccountQuery{Limit: 1})
		})
		if err != nil || len(first) == 0 {
			return list, err
		}
		last = first[0].CreatedAt
	}
	if age := s.instance.Now().Sub(last); age >= backupAge {
		list = append(list, notify.Problem{Name: fmt.Sprint("backup ", int(age/backupAgain)), Text: text})
	}
	return list, nil
}
