package sqldb

import (
	"time"

	"vitrine"
)

const ticketColumns = "purpose, hash, account, email, plan, invited_by, created_at, expires_at"

func readTicket(s scanner) (*vitrine.Ticket, error) {
	v := new(vitrine.Ticket)
	var hash []byte
	err := s.Scan(&v.ID, &v.Purpose, &hash, &v.Account, &v.Email, &v.Plan, &v.By, instant{&v.CreatedAt}, instant{&v.ExpiresAt})
	copy(v.Hash[:], hash)
	return v, err
}

func (t storeTx) AddTicket(v *vitrine.Ticket) error {
	if _, err := t.TicketByHash(v.Hash); err != vitrine.ErrNotFound {
		if err == nil {
			err = vitrine.ErrExists
		}
		return err
	}
	if _, err := t.exec("DELETE FROM tickets WHERE purpose = $1 AND email = $2", string(v.Purpose), v.Email); err != nil {
		return err
	}
	return t.add(&v.ID, "INSERT INTO tickets ("+ticketColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		string(v.Purpose), v.Hash[:], int64(v.Account), v.Email, string(v.Plan), int64(v.By), ms(v.CreatedAt), msOrNull(v.ExpiresAt))
}

func (t storeTx) TicketByHash(hash [32]byte) (*vitrine.Ticket, error) {
	return one(t.tx, readTicket, "SELECT id, "+ticketColumns+" FROM tickets WHERE hash = $1", hash[:])
}

func (t storeTx) Tickets(p vitrine.TicketPurpose) ([]*vitrine.Ticket, error) {
	return list(t.tx, readTicket, "SELECT id, "+ticketColumns+" FROM tickets WHERE purpose = $1 ORDER BY created_at DESC, id DESC", string(p))
}

func (t storeTx) DeleteTicket(id vitrine.TicketID) error {
	return t.put("DELETE FROM tickets WHERE id = $1", int64(id))
}

func (t storeTx) EndTickets(a vitrine.AccountID, email string) error {
	_, err := t.exec("DELETE FROM tickets WHERE account = $1 AND account <> 0 OR email = $2", int64(a), email)
	return err
}

func (t storeTx) ForgetTickets(before time.Time) (int64, error) {
	return t.exec("DELETE FROM tickets WHERE expires_at < $1", ms(before))
}
