package notify_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/app/recipients"
	"vitrine/internal/test/fixture"
	"vitrine/report"
)

// TestRecipientMail checks that a recipient's first visit has one mail, which
// also replaces that of the first view, within the limits of mails.
func TestRecipientMail(t *testing.T) {
	o := newOffice(t, fixture.New(t))
	ctx := t.Context()
	l := o.Note("a note")
	names := recipients.Addition{}
	for i := range 15 {
		names.Recipients = append(names.Recipients, recipients.Request{Label: fmt.Sprintf("Ann %02d", i)})
	}
	_, list, err := (&recipients.Service{Store: o.Store, Plans: vitrine.DefaultPlans(), Now: o.Clock.Now}).Add(ctx, o.Account,
		string(l.Slug), names)
	o.Must(err)
	opens := func(i int) {
		t.Helper()
		o.view(l, report.View{Viewer: uint64(i + 1), Recipient: int64(list[i].ID), Device: "Desktop"}, 5)
	}
	opens(0)
	o.wants("the first view of the link", "Ann 00 has opened “note.txt”")
	opens(0)
	o.wants("the same recipient again")
	o.view(l, report.View{Viewer: 99}, 5)
	o.wants("the plain address")
	o.Must(o.Store.Update(ctx, func(tx vitrine.Tx) error {
		list[1].Label = ""
		return tx.PutRecipient(list[1])
	}))
	opens(1)
	m := o.wants("without a label", "A recipient has opened “note.txt”")[0]
	o.has(m, "Views of the link: 4", "Device: Desktop")
	o.change(func(a *vitrine.Account) { a.NoMail = "recipientOpened" })
	opens(2)
	o.wants("a kind that is off")
	o.change(func(a *vitrine.Account) { a.NoMail, a.Plan = "", vitrine.PlanFree })
	opens(3)
	o.wants("no analytics")
	o.change(func(a *vitrine.Account) { a.Plan = vitrine.PlanPro })
	bell := func(b vitrine.Bell) {
		t.Helper()
		o.Must(fixture.Second(o.Links.Edit(ctx, o.Account, string(l.Slug), links.Edit{Bell: &b})))
	}
	bell(vitrine.BellOff)
	opens(4)
	o.wants("a link whose bell is off")
	bell(vitrine.BellDaily)
	o.Clock.Advance(24 * time.Hour)
	opens(0)
	m = o.wants("the first view of a day by a known recipient", "“note.txt” was viewed")[0]
	o.has(m, "Recipient: Ann 00")
	o.Clock.Advance(24 * time.Hour)
	opens(5)
	o.wants("the first view of a day by a new recipient", "Ann 05 has opened “note.txt”")
	o.Clock.Advance(2 * time.Hour)
	for i := 6; i < 15; i++ {
		opens(i)
	}
	for i := range 20 {
		o.view(o.Note(fmt.Sprint("note ", i)), report.View{Viewer: 8}, 5)
	}
	if n := len(o.mails()); n != 10 {
		t.Errorf("%d mails in an hour, want 10", n)
	}
}
