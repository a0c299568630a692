package sqldb

import (
	"time"

	"vitrine"
)

func (t storeTx) AddGuess(g *vitrine.Guess) error {
	return t.add(&g.ID, "INSERT INTO guesses (key, at) VALUES ($1, $2)", g.Key[:], ms(g.At))
}

func (t storeTx) CountGuesses(k vitrine.GuessKey, since, until time.Time) (n int64, oldest time.Time, err error) {
	err = t.get([]any{&n, instant{&oldest}}, "SELECT count(*), min(at) FROM guesses WHERE key = $1 AND at >= $2 AND at <= $3", k[:], ms(since), ms(until))
	return n, oldest, err
}

func (t storeTx) DeleteGuess(id vitrine.GuessID) error {
	return t.put("DELETE FROM guesses WHERE id = $1", int64(id))
}

func (t storeTx) ClearGuesses(k vitrine.GuessKey) error {
	_, err := t.exec("DELETE FROM guesses WHERE key = $1", k[:])
	return err
}

func (t storeTx) ForgetGuesses(before time.Time) (int64, error) {
	return t.exec("DELETE FROM guesses WHERE at < $1", ms(before))
}
