package user

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/terminal"
)

const (
	// liveWithin is how long --require-live waits for the check of a file.
	liveWithin = 10 * time.Minute
	// liveEvery is the time between two questions about it.
	liveEvery = 2 * time.Second
)

// notLiveError is the error of a file that was published, but whose link does
// not work yet. The link was printed.
type notLiveError struct{ error }

func (e *notLiveError) Unwrap() error { return e.error }

// untilLive waits, with --require-live, until a file is checked. It returns a
// notLiveError if its link does not work then, or shows an earlier version.
func (c *putCmd) untilLive(ctx context.Context, t *terminal.Terminal, api *client.Client, path string,
	l *client.Link) error {
	if !c.RequireLive {
		return nil
	}
	if l.Processing {
		t.Say("Waiting until %s is checked …", terminal.Plain(path))
	}
	enough := t.After(liveWithin)
	for {
		status, reason, err := fileStatus(ctx, api, l)
		switch {
		case err != nil && !client.Temporary(err):
			return &notLiveError{err}
		case err == nil && status != vitrine.StateProcessing:
			l.Processing = false
			return liveOr(status, reason)
		}
		select {
		case <-t.AfterPoll(liveEvery):
		case <-enough:
			e := vitrine.Unavailable(err)
			e.Message = fmt.Sprintf("it is still being checked after %s, and its link works afterwards", liveWithin)
			return &notLiveError{e}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func liveOr(status vitrine.LinkState, reason string) error {
	switch status {
	case vitrine.StateLive:
		return nil
	case vitrine.StateReview:
		return &notLiveError{errors.New("it is not live: a moderator must approve it" + reason)}
	}
	return &notLiveError{fmt.Errorf("it is not live: it is %s%s", terminal.Plain(string(status)), reason)}
}

// fileStatus returns the status of a link, or, if that is live, of the new
// version of its file, and the reason for it, in brackets.
func fileStatus(ctx context.Context, api *client.Client,
	l *client.Link) (s vitrine.LinkState, reason string, err error) {
	of, err := api.Link(ctx, l.Slug)
	if err != nil {
		return "", "", err
	}
	status, why := of.Status, terminal.Why(of.Reason, of.Detail)
	if r := l.Replacement; r != nil && !r.Unchanged && status == string(vitrine.StateLive) {
		versions, err := api.Versions(ctx, l.Slug)
		if err != nil {
			return "", "", err
		}
		i := slices.IndexFunc(versions, func(v client.Version) bool { return v.Version == r.Version })
		if i < 0 {
			return "", "", errors.New("the version was deleted")
		}
		status, why = versions[i].Status, terminal.Why(versions[i].Reason, versions[i].Detail)
	}
	if why != "" {
		reason = " (" + terminal.Plain(why) + ")"
	}
	return vitrine.LinkState(status), reason, nil
}
