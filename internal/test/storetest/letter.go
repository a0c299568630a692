package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// letters tests that due letters are listed in order, and that a deleted letter
// leaves no data.
func (t storeTest) letters() {
	letter := func(to string, due, life time.Duration) *vitrine.Letter {
		l := &vitrine.Letter{Message: vitrine.Message{ID: "id of " + to, To: to, Subject: "Grüße ✓",
			Text: "a\n\nb\n",
			HTML: "<p>ü", Stop: "https://share.example/mail/x"},
			CreatedAt: vitrinetest.Epoch, NextAt: vitrinetest.Epoch.Add(due)}
		if life > 0 {
			l.ExpiresAt = vitrinetest.Epoch.Add(life)
		}
		return l
	}
	one, two, three := letter("one@example.org", 2*time.Second, time.Hour), letter("two@example.org", time.Second, 0),
		letter("three@example.org", 2*time.Second, 0)
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.AddLetter(one), tx.AddLetter(two), tx.AddLetter(three))
	})
	due := func(now time.Time, n int, want ...*vitrine.Letter) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.LettersDue(now, n)
			vitrinetest.Equal(t, "letters due", got, want)
			return err
		})
	}
	due(vitrinetest.Epoch, 9)
	due(vitrinetest.Epoch.Add(time.Second), 9, two)
	due(vitrinetest.Epoch.Add(2*time.Second), 9, two, one, three)
	due(vitrinetest.Epoch.Add(time.Hour), 2, two, one)
	two.Tries, two.NextAt, two.ExpiresAt = 3, vitrinetest.Epoch.Add(time.Minute), vitrinetest.Epoch.Add(time.Hour)
	t.update(func(tx vitrine.Tx) error {
		t.is("Put of none", tx.PutLetter(&vitrine.Letter{ID: 999, CreatedAt: vitrinetest.Epoch,
			NextAt: vitrinetest.Epoch}), vitrine.ErrNotFound)
		t.is("Delete of none", tx.DeleteLetter(999), vitrine.ErrNotFound)
		return errors.Join(tx.PutLetter(two), tx.DeleteLetter(one.ID))
	})
	due(vitrinetest.Epoch.Add(time.Hour), 9, three, two)
	t.read(func(tx vitrine.Tx) error {
		got, err := tx.Letter(two.ID)
		vitrinetest.Equal(t, "letter", got, two)
		_, gone := tx.Letter(one.ID)
		t.is("a letter that was deleted", gone, vitrine.ErrNotFound)
		return err
	})
}
