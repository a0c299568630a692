package clickhouse

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/report"
)

type timed struct{ rt http.RoundTripper }

func (t timed) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query().Get("query")
	if q == "" {
		b, _ := r.GetBody()
		x := make([]byte, 90)
		n, _ := b.Read(x)
		q = string(x[:n])
	}
	s := time.Now()
	a, err := t.rt.RoundTrip(r)
	fmt.Printf("%8.1f ms  %d bytes  %.80s\n", float64(time.Since(s).Microseconds())/1000, r.ContentLength, q)
	return a, err
}

func TestZZ(t *testing.T) {
	l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	ctx := context.Background()
	g := newTraffic(100, 365*86_400_000/100000)
	for n := 0; n < 60000; {
		var some []vitrine.NewOpen
		for ; len(some) < 16_384; n++ {
			some = append(some, g.imported())
		}
		if err := l.Import(ctx, vitrine.ImportReceipt{File: [32]byte{1}, Lines: int64(n)}, some); err != nil {
			t.Fatal(err)
		}
	}
	from := report.DayOf(1_767_225_600_000)
	w := window{TallyQuery: vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: from, To: from + 366}, ids: idsOf(from, from+366)}
	sql := w.insideSQL(false)
	i, j := strings.Index(sql, "FROM (")+6, strings.LastIndex(sql, ")")
	for _, part := range strings.Split(sql[i:j], "\nUNION ALL ") {
		for range 2 {
			s := time.Now()
			n := 0
			b, err := l.c.request(ctx, part+" FORMAT TSV", nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			x := make([]byte, 100000)
			for {
				m, err := b.Read(x)
				n += m
				if err != nil {
					break
				}
			}
			fmt.Println(time.Since(s).Milliseconds(), "ms", n, "bytes:", part[:min(len(part), 60)])
		}
	}
	for _, x := range []string{"", "&", "max_threads=1", "max_threads=4"} {
		set := map[string]string{}
		if k, v, ok := strings.Cut(x, "="); ok {
			set[k] = v
		}
		st := time.Now()
		b, err := l.c.request(ctx, sql+" FORMAT RowBinary", nil, set)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := io.Copy(io.Discard, b)
		fmt.Println("whole", x, time.Since(st).Milliseconds(), "ms", n)
	}
	for _, in := range []bool{false, true, false, true} {
		l.c.countInside = in
		st := time.Now()
		var ru, ru2 syscall.Rusage
		syscall.Getrusage(0, &ru)
		_, _, err := l.Tally(ctx, w.TallyQuery)
		syscall.Getrusage(0, &ru2)
		fmt.Println(in, time.Since(st).Milliseconds(), "ms cpu here", (ru2.Utime.Nano()-ru.Utime.Nano())/1e6, err)
	}
}

func TestYY(t *testing.T) {
	l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	ctx := context.Background()
	g := newTraffic(1000, 1)
	batch := func() (b vitrine.Batch) {
		for range 4096 {
			b.Opens = append(b.Opens, g.open())
		}
		return b
	}
	for range 20 {
		if _, err := l.Append(ctx, batch()); err != nil {
			t.Fatal(err)
		}
	}
	l.c.http.Transport = timed{l.c.http.Transport}
	for range 2 {
		s := time.Now()
		if _, err := l.Append(ctx, batch()); err != nil {
			t.Fatal(err)
		}
		fmt.Println(time.Since(s))
	}
}
