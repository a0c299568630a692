package operator

import (
	"context"
	"errors"
	"strconv"

	"vitrine"
	"vitrine/internal/instance"
	"vitrine/internal/links"
	"vitrine/internal/moderation"
	"vitrine/internal/publish"
	"vitrine/internal/terminal"
)

// decideArg is a decision about a link.
type decideArg struct {
	slugArg
	noteFlag
}

type linkClearCmd struct{ decideArg }

func (c *linkClearCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return c.change(ctx, t, func(s *links.Service) (*vitrine.Link, error) { return s.Clear(ctx, c.Slug, c.decision()) })
}

type linkRejectCmd struct {
	decideArg
	Same bool `help:"And all links with the same file, in any state and account. Asks first."`
	Yes  bool `short:"y" help:"Do not ask before --same. Required without a terminal."`
}

func (c *linkRejectCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if !c.Same {
		return c.change(ctx, t, func(s *links.Service) (*vitrine.Link,
			error) {
			return s.Reject(ctx, c.Slug, c.decision())
		})
	}
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		all, err := in.Links.Rejectable(ctx, c.Slug)
		if err != nil {
			return err
		}
		accounts := map[vitrine.AccountID]bool{}
		for _, l := range all {
			accounts[l.Account] = true
		}
		sure := c.Yes || len(all) == 0
		if !sure {
			t.Tell("This disables %s of %s.", terminal.Counted(int64(len(all)), "link"),
				terminal.Counted(int64(len(accounts)), "account"))
		}
		if ok, err := t.Confirmed(sure, "Continue?"); err != nil || !ok {
			return err
		}
		links, err := in.Links.RejectSame(ctx, c.Slug, c.decision())
		for _, l := range links {
			err = errors.Join(err, c.show(ctx, t, in, l))
		}
		if err == nil && len(links) == 0 {
			t.Say("Nothing is changed: the link %s is disabled, and so is every other with the same bytes.",
				terminal.Plain(c.Slug))
		}
		return err
	})
}

type linkDisableCmd struct{ decideArg }

// Run disables a link. A link that a moderator could not disable, because it is
// disabled already, stays as it is.
func (c *linkDisableCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		l, err := in.Links.BySlug(ctx, c.Slug)
		if err != nil {
			return err
		}
		if l.State == vitrine.StateDisabled && !links.MayDisable(l) {
			t.Say("%s is disabled already.", terminal.Plain(c.Slug))
			return c.show(ctx, t, in, l)
		}
		if l, err = in.Links.Disable(ctx, c.Slug, c.decision()); err != nil {
			return err
		}
		return c.show(ctx, t, in, l)
	})
}

type linkUndoCmd struct{ decideArg }

func (c *linkUndoCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return c.change(ctx, t, func(s *links.Service) (*vitrine.Link, error) { return s.Undo(ctx, c.Slug, c.decision()) })
}

type linkRescanCmd struct{ optionalLink }

func (c *linkRescanCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		n, err := (&publish.Scans{Store: in.Store, Now: in.Now}).MarkForScan(ctx, c.Slug)
		switch {
		case err != nil:
			return err
		case c.JSON:
			return t.JSON(map[string]int{"links": n})
		}
		t.Say("If a scanner is configured, the server scans %s again within minutes, one after the other.",
			terminal.Counted(int64(n), "link"))
		return nil
	})
}

type linkQueueCmd struct {
	Reason string `once:"" help:"Only those held for this reason code." placeholder:"CODE"`
	Limit  int    `help:"How many links to list; 0: all." default:"0"`
	instance.Places
	terminal.JSONFlag
}

// queueRow is the output for a link in the review queue.
type queueRow struct {
	Slug      vitrine.Slug `json:"slug"`
	Reason    string       `json:"reason"`
	Detail    string       `json:"detail,omitempty"`
	Since     string       `json:"since"`
	Reports   int          `json:"reports"`
	Kind      string       `json:"kind"`
	SizeBytes int64        `json:"size_bytes"`
	Account   string       `json:"account"`
	Title     string       `json:"title"`
	Name      string       `json:"name"`
	versionOf
}

func (c *linkQueueCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if c.Limit < 0 {
		return terminal.Usage("--limit must be 0 (all) or more")
	}
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		var rows [][]string
		seen := 0
		for after := (vitrine.ReviewCursor{}); ; {
			queue, next, err := in.Moderation.Queue(ctx, c.Reason, after, 200)
			if err != nil {
				return err
			}
			for _, w := range queue {
				if c.Limit > 0 && seen == c.Limit {
					break
				}
				seen++
				l := w.Link
				of, err := versionOfLink(ctx, in, l)
				if err != nil {
					return err
				}
				row := queueRow{l.Slug, l.Reason, l.Detail, terminal.Stamp(l.StateAt), w.Reports, string(l.Kind),
					l.Size, w.Account.Email, l.Title, l.Name, of}
				if c.JSON {
					if err := t.JSON(row); err != nil {
						return err
					}
					continue
				}
				rows = append(rows, []string{string(row.Slug), terminal.Why(row.Reason, row.Detail), t.When(l.StateAt),
					strconv.Itoa(row.Reports),
					row.Kind, t.Size(row.SizeBytes), row.Account, of.titled(l)})
			}
			if next == (vitrine.ReviewCursor{}) || c.Limit > 0 && seen == c.Limit {
				break
			}
			after = next
		}
		switch {
		case c.JSON:
			return nil
		case seen == 0 && t.OutTTY:
			t.Say("Nothing waits for review.")
			return nil
		}
		return t.Table([]string{"SLUG", "REASON", "SINCE", "REPORTS", "KIND", "SIZE", "ACCOUNT", "TITLE"}, rows)
	})
}

type linkHistoryCmd struct{ slugArg }

func (c *linkHistoryCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		history, err := in.Moderation.OfLink(ctx, c.Slug)
		if err != nil {
			return err
		}
		return showHistory(t, c.JSONFlag, history)
	})
}

type accountHistoryCmd struct {
	emailArg
	instance.Places
	terminal.JSONFlag
}

func (c *accountHistoryCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		history, err := in.Moderation.OfAccount(ctx, c.Email)
		if err != nil {
			return err
		}
		return showHistory(t, c.JSONFlag, history)
	})
}

// changeRow is the output for a moderation event.
type changeRow struct {
	At     string            `json:"at"`
	By     vitrine.ActorKind `json:"by"`
	Person string            `json:"person,omitempty"`
	Action string            `json:"action"`
	Slug   vitrine.Slug      `json:"slug,omitempty"`
	From   vitrine.LinkState `json:"from,omitempty"`
	To     vitrine.LinkState `json:"to,omitempty"`
	Reason string            `json:"reason,omitempty"`
	Detail string            `json:"detail,omitempty"`
	Note   string            `json:"note,omitempty"`
}

// actionWord returns an action in the words of the commands.
func actionWord(a vitrine.Action) string {
	switch a {
	case vitrine.ActionBan:
		return "suspend"
	case vitrine.ActionUnban:
		return "unsuspend"
	case vitrine.ActionClear:
		return "approve"
	}
	return string(a)
}

// showHistory prints moderation events, newest first.
func showHistory(t *terminal.Terminal, f terminal.JSONFlag, history []moderation.Event) error {
	var rows [][]string
	for _, e := range history {
		row := changeRow{terminal.Stamp(e.At), e.By.Kind, e.Person, actionWord(e.Action), e.Slug, e.From, e.To,
			e.Reason, e.Detail,
			e.Note}
		if f.JSON {
			if err := t.JSON(row); err != nil {
				return err
			}
			continue
		}
		by := string(row.By)
		if row.Person != "" {
			by += " " + row.Person
		}
		rows = append(rows, []string{t.When(e.At), by, row.Action, string(row.Slug), string(row.To),
			terminal.Why(row.Reason, row.Detail), row.Note})
	}
	switch {
	case f.JSON:
		return nil
	case len(rows) == 0 && t.OutTTY:
		t.Say("No decisions yet.")
		return nil
	}
	return t.Table([]string{"TIME", "BY", "ACTION", "SLUG", "STATUS", "REASON", "NOTE"}, rows)
}

type linkSameCmd struct{ slugArg }

func (c *linkSameCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		all, err := in.Moderation.SameFile(ctx, c.Slug)
		for _, same := range all {
			if same.Link.DeletedAt.IsZero() {
				err = errors.Join(err, c.show(ctx, t, in, same.Link))
			}
		}
		return err
	})
}
