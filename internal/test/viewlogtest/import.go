package viewlogtest

import (
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

func (t logTest) doImport(file byte, lines int64, views ...vitrine.ViewRecord) {
	t.Helper()
	t.importAt(vitrinetest.Epoch, file, lines, views...)
}

func (t logTest) importAt(at time.Time, file byte, lines int64, views ...vitrine.ViewRecord) {
	t.Helper()
	receipt := vitrine.ImportReceipt{File: [32]byte{file, 255}, Lines: lines, At: at}
	if err := t.log.Import(ctx, receipt, views); err != nil {
		t.Fatalf("Import: %v", err)
	}
}

func (t logTest) progress(file byte, want int64) {
	t.Helper()
	lines, err := t.log.Imported(ctx, [32]byte{file, 255})
	if err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, "lines imported", lines, want)
}

func (t logTest) imports() {
	read := view(1, 0, 10)
	read.Returning = true // as in the import
	read.Session = &report.Session{EngagedMs: 60_000, PresentMs: 90_000, Screen: "1920+", Downloaded: true,
		Played: 500_000, Reached: 700_000,
		Depth: 1_000_000, Pages: []report.PageTime{{Page: 1, Ms: 1}, {Page: 3, Ms: 40_000}}}
	again := view(1, time.Minute, 10)
	crawler := bot(view(1, 2*time.Minute, 30))
	crawler.Session = &report.Session{Downloaded: true}
	idle := view(1, 3*time.Minute, 40)
	idle.Session = &report.Session{Unmeasured: true}
	t.doImport(1, 4, read, again, crawler, idle)
	vitrinetest.Equal(t, "views", t.all(1), []report.View{read.View, again.View, crawler.View, idle.View})
	t.counted(1, 3, 1)
	tally, _ := t.tally(vitrine.Scope{Account: 1}, day, day+1, 0)
	vitrinetest.Equal(t, "download events", events(tally, day, day+1), 1)
	// Imported views accept snapshots and downloads like others.
	t.append(vitrine.Batch{
		Snapshots: []vitrine.Snapshot{snapshot(again, time.Second, report.Session{EngagedMs: 1500, PresentMs: 2000}),
			automationSnapshot(read)},
		Downloads: []vitrine.Download{download(again, time.Minute)},
	})
	t.counted(1, 2, 1)
	vitrinetest.Equal(t, "engaged", t.all(1)[1].Session.EngagedMs, 1500)
	// Reclassifying an imported view as a bot's does not change views that were
	// not imported.
	mixed := view(2, 0, 50)
	t.doImport(2, 1, mixed)
	t.view(view(2, time.Minute, 50))
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(mixed)}})
	t.view(view(2, time.Hour, 50))
	vitrinetest.Equal(t, "returning", t.returns(2)[2], true)
	t.counted(2, 2, 0)
}

func (t logTest) importProgress() {
	t.progress(1, 0)
	t.doImport(1, 2, view(1, 0, 1), view(1, time.Minute, 2))
	t.progress(1, 2)
	t.progress(2, 0)
	t.doImport(1, 2, view(1, 0, 1), view(1, time.Minute, 2))
	t.doImport(1, 1, view(1, 0, 1))
	t.counted(1, 2, 0)
	t.doImport(1, 5, view(1, 2*time.Minute, 3))
	t.progress(1, 5)
	t.doImport(1, 9) // lines without views count too
	t.progress(1, 9)
	t.doImport(2, 1, view(1, 3*time.Minute, 4))
	t.counted(1, 4, 0)
	// Many concurrent imports of one batch store it once.
	vitrinetest.Race(20, func(int) { t.doImport(3, 1, view(2, 0, 1)) })
	t.counted(2, 1, 0)
}

func (t logTest) importCollisions() {
	ms := vitrinetest.Epoch.UnixMilli()
	with := func(n int, viewer uint64) vitrine.ViewRecord {
		v := at(1, ms, n, viewer)
		v.Session = &report.Session{Downloaded: true}
		return v
	}
	t.view(at(1, ms, 5, 100), at(1, ms, 1<<21-1, 101))
	t.doImport(1, 3, with(5, 1), with(5, 2), with(6, 3))
	t.doImport(1, 5, with(5, 4), with(1<<21-1, 5)) // the last line number wraps around
	t.doImport(2, 1, with(5, 6))
	var got [][2]int64
	for _, v := range t.all(1) {
		if v.At != ms {
			t.Errorf("view %d has moved to another millisecond", v.ID)
		}
		got = append(got, [2]int64{v.ID - int64(vitrine.ViewIDAt(ms, 0)), int64(v.Viewer)})
	}
	vitrinetest.Equal(t, "places in the millisecond, and viewers", got,
		[][2]int64{{0, 5}, {5, 100}, {6, 1}, {7, 2}, {8, 3}, {9, 4}, {10, 6}, {1<<21 - 1, 101}})
	t.counted(1, 8, 6)
	// A whole file with one timestamp.
	var views []vitrine.ViewRecord
	for i := range 3000 {
		views = append(views, at(2, ms, 0, uint64(i)))
	}
	t.doImport(4, 3000, views...)
	t.doImport(4, 6000, views...)
	t.counted(2, 6000, 0)
}
