package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/cli/instance"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// TestSink kills a server that copies views at random steps, under uploads and
// page loads. Afterwards the table of ClickHouse has each counted view once.
func TestSink(t *testing.T) {
	t.Parallel()
	server := vitrinetest.ClickHouse(t)
	r := seeded(t)
	address := server.Database(t)
	k := &killed{t: t, data: t.TempDir(), settings: []string{"VITRINE_SINK=" + address}}
	k.key = strings.TrimSpace(k.run("admin", "account", "create", "owner@example.org"))
	doctor := func(want string) {
		t.Helper()
		if _, out, _ := k.verb("doctor", "--sink", address); !strings.Contains(out, want) {
			t.Errorf("doctor: %s\nwant %q", out, want)
		}
	}
	for range tier.Pick(5, 20) {
		_, url, log := k.start(killSetting(20 + r.IntN(100)))
		if url != "" {
			k.load(url)
		}
		log.drain()
	}
	doctor("answers")
	_, kill := k.serve()
	defer kill()
	in, err := instance.Open(t.Context(), instance.Places{Data: k.data})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	counts, err := in.Log.AccountCounts(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for link, n := range counts {
		want = append(want, fmt.Sprintf("%d\t%d\n", link, n.Views))
	}
	slices.Sort(want)
	if len(want) == 0 {
		t.Fatal("no view was counted")
	}
	table := strings.ReplaceAll("SELECT link, countIf(excluded = '') FROM DATABASE.visits FINAL GROUP BY link", "DATABASE",
		address[strings.LastIndex(address, "/")+1:])
	var got []string
	vitrinetest.WaitFor(t, time.Minute, "the views are copied", func() bool {
		state, err := in.Log.CopyState(t.Context())
		if err != nil || !state.Whole || !state.Since.IsZero() {
			return false
		}
		got = slices.Sorted(strings.Lines(server.Exec(t, table)))
		return slices.Equal(got, want)
	})
	t.Logf("%d pages, views by link: %q", k.pages, got)
	doctor("answers, and has all views")
	server.Stop()
	doctor("cannot be used")
}
