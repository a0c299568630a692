package notify

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"vitrine"
	"vitrine/internal/base/notation"
)

const (
	// problemGone is how long a problem must be gone until it is mailed about
	// again. seenEvery is how often it is noted that it is still there.
	problemGone = 24 * time.Hour
	seenEvery   = time.Hour
	// reviewHour is the hour, in the time zone of a moderator, of the mail
	// about all links that wait. reviewPause is the least time between two
	// mails.
	reviewHour  = 7
	reviewPause = time.Hour
)

// Problem is something of the instance that needs an administrator.
type Problem struct {
	Name string // of the problem and its server: the same as long as it lasts
	Text string
}

// mailed says of problems when they were last seen, and of review when the last
// mail was sent, in Unix milliseconds. It is stored with an account.
type mailed map[string]int64

// Problems mails administrators the problems that there are now: a mail when
// one begins, and no other about it until it was gone for a day.
func (s *Service) Problems(ctx context.Context, list []Problem) error {
	if len(list) == 0 {
		return nil
	}
	return s.mailStaff(ctx, problems, func(a *vitrine.Account, m mailed) *letter {
		now := s.Now()
		maps.DeleteFunc(m, func(name string, at int64) bool {
			return name != review && now.Sub(time.UnixMilli(at)) >= problemGone
		})
		l := &letter{Subject: "Vitrine at " + s.site() + " needs you", Do: "How to watch an instance",
			URL:   s.Public + "/docs/self-hosting#health",
			Notes: []string{"You get no other mail about the same problem until it has been gone for a day."}}
		begun := false
		for _, p := range list {
			at, is := m[p.Name]
			begun = begun || !is
			if l.Lines = append(l.Lines, p.Text); !is || now.Sub(time.UnixMilli(at)) >= seenEvery {
				m[p.Name] = now.UnixMilli()
			}
		}
		if !begun {
			return nil
		}
		return l
	})
}

// Review mails moderators that links wait for review: when the first one does,
// and once a day while there are some.
func (s *Service) Review(ctx context.Context) error {
	var waiting int64
	var oldest time.Time
	err := s.Store.Read(ctx, func(tx vitrine.Tx) error {
		waiting = 0
		counts, err := tx.CountReview()
		if err != nil {
			return err
		}
		for _, n := range counts {
			waiting += n
		}
		first, err := tx.Review(vitrine.ReviewQuery{Limit: 1})
		if len(first) > 0 {
			oldest = first[0].StateAt
		}
		return err
	})
	if err != nil || waiting == 0 || oldest.IsZero() {
		return err
	}
	return s.mailStaff(ctx, review, func(a *vitrine.Account, m mailed) *letter {
		now, last := s.Now(), time.UnixMilli(m[review])
		if now.Sub(last) < reviewPause || !oldest.After(last) && !morning(a, now).After(last) {
			return nil
		}
		m[review] = now.UnixMilli()
		l := &letter{Subject: notation.Count(waiting) + " links wait for review", Do: "Open the queue",
			URL: s.Public + "/moderation", Lines: []string{"They are not public until a moderator decides."}}
		if waiting == 1 {
			l.Subject, l.Lines = "A link waits for review", []string{"It is not public until a moderator decides."}
		}
		l.Facts = []fact{{Name: "Waiting", Value: notation.Count(waiting)},
			{Name: "Longest since", Value: oldest.In(a.Zone()).Format("2 Jan 2006, 15:04 MST")}}
		return l
	})
}

// morning returns the last time that it was reviewHour where an account is.
func morning(a *vitrine.Account, now time.Time) time.Time {
	t := now.In(a.Zone())
	at := time.Date(t.Year(), t.Month(), t.Day(), reviewHour, 0, 0, 0, t.Location())
	if at.After(t) {
		at = at.AddDate(0, 0, -1)
	}
	return at
}

// mailStaff mails the people of the instance who get a kind of mail and want
// it. f returns the letter for one of them, or nil, and changes what is stored
// of their mails, in one transaction with the mail.
func (s *Service) mailStaff(ctx context.Context, kind string, f func(*vitrine.Account, mailed) *letter) error {
	if s.Outbox == nil {
		return nil
	}
	var staff []*vitrine.Account
	for _, role := range []vitrine.Role{vitrine.RoleOwner, vitrine.RoleModerator} {
		some, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Account, error) {
			return tx.Accounts(vitrine.AccountQuery{Role: role})
		})
		if err != nil {
			return err
		}
		staff = append(staff, some...)
	}
	defer s.Outbox.Notify()
	for _, of := range staff {
		err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
			a, err := tx.Account(of.ID)
			if err != nil || a.Banned || !a.ClosedAt.IsZero() || !kindOf(kind).For(a) || !wants(a, kind) {
				return err
			}
			m := mailed{}
			if a.Mailed != "" {
				if err := json.Unmarshal([]byte(a.Mailed), &m); err != nil {
					return err
				}
			}
			before := maps.Clone(m)
			l := f(a, m)
			if maps.Equal(before, m) {
				return nil
			}
			text, err := json.Marshal(m)
			if err != nil {
				return err
			}
			a.Mailed = string(text)
			if err := tx.PutAccount(a); err != nil || l == nil {
				return err
			}
			return s.post(tx, a, kind, nil, l)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
