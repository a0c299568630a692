package viewlog

import (
	"context"
	"errors"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/viewlogtest"
	"vitrine/internal/test/vitrinetest"
)

func TestPostgresViewLog(t *testing.T) {
	sqltest.InPostgres(t)
	viewlogtest.Run(t, tier.Pick(5, 1), func(t *testing.T) vitrine.ViewLog { return openTestLog(t) })
}

// TestPostgresLogToo repeats the tests of a database file with PostgreSQL.
func TestPostgresLogToo(t *testing.T) {
	sqltest.InPostgres(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"DeleteInSteps", TestDeleteLinkInSteps},
		{"ViewerDayEnds", TestViewerDayEnds},
		{"EveryAnswerIsAFold", TestEveryAnswerIsAFold},
		{"LiveFollowsFromItsSnapshot", TestLiveFollowsFromItsSnapshot},
		{"LiveIsOfOneMoment", TestLiveIsOfOneMoment},
		{"LiveOfDeleted", TestLiveOfDeletedLink},
		{"AtOnce", TestAtOnce},
		{"ImportOfOneMillisecond", TestImportOfOneMillisecond},
		{"ImportGoesRound", TestImportGoesRound},
		{"SegmentsStayFew", TestSegmentsStayFew},
		{"RecentNone", TestRecentNone},
		{"DeleteLeavesNothing", TestDeleteLinkLeavesNothing},
		{"RollUpAndReturning", TestRollUpAndReturning},
		{"LateOnRolledUpDays", TestLateOnRolledUpDays},
		{"ExpireDownloadsOnly", TestExpireDownloadsOnly},
		{"MergeAtOnce", TestMergeAtOnce},
		{"MergeDroppedByAnother", TestMergeDroppedByAnother},
		{"ViewerDaysDamaged", TestViewerDaysDamaged},
		{"WordsOfTwoProcesses", TestWordsOfTwoProcesses},
		{"WordsOfFailedTransaction", TestWordsOfFailedTransaction},
		{"WordsWithinTransaction", TestWordsWithinTransaction},
		{"ManyWords", TestManyWords},
		{"SameReports", TestSameReports},
	} {
		t.Run(test.name, test.run)
	}
}

// TestPostgresOpenTogether opens a new database in several processes at once.
// All of them start, whichever creates it.
func TestPostgresOpenTogether(t *testing.T) {
	place := vitrinetest.PostgresDatabase(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s, err := sqlstore.Open(place)
			if err != nil {
				t.Error(err)
				return
			}
			err = s.Update(context.Background(), func(tx vitrine.Tx) error { return tx.PutSecret("s", []byte("v")) })
			if err := errors.Join(err, s.Close()); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			l, err := Open(place)
			if err != nil {
				t.Error(err)
				return
			}
			_, err = l.Append(context.Background(), vitrine.Batch{Views: []vitrine.ViewRecord{from(1, "a")}})
			if err := errors.Join(err, l.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
