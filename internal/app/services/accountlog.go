package services

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"vitrine"
)

// accountLog is a store that logs the events of accounts once they are
// committed. The lines have neither addresses nor secrets.
type accountLog struct {
	vitrine.Store
	log *slog.Logger // nil: nothing is logged
}

// LogAccounts makes each event of an account a line of a log. Call it before
// the services are used.
func (s *Services) LogAccounts(log *slog.Logger) { s.accounts.log = log }

// Update implements [vitrine.Store].
func (s *accountLog) Update(ctx context.Context, f func(vitrine.Tx) error) error {
	var made []vitrine.Event
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		made = nil
		return f(accountTx{tx, &made})
	})
	if err != nil || s.log == nil {
		return err
	}
	for _, e := range made {
		var data struct{ By string }
		_ = json.Unmarshal(e.Data, &data)
		s.log.Info("account event", "type", e.Kind, "account", e.Account, "event", e.ID, "by", data.By)
	}
	return nil
}

// accountTx keeps the events of accounts that are added in a transaction.
type accountTx struct {
	vitrine.Tx
	made *[]vitrine.Event
}

// AddEvent implements [vitrine.EventTx].
func (t accountTx) AddEvent(e *vitrine.Event) error {
	err := t.Tx.AddEvent(e)
	if err == nil && strings.HasPrefix(string(e.Kind), "account.") {
		*t.made = append(*t.made, *e)
	}
	return err
}
