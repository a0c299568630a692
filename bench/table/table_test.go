package table

import (
	"testing"
	"time"
)

func TestRow(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{Figure: "f", Vitrine: Of(2 * time.Millisecond), Reference: "DuckDB 1", Than: Of(2660 * time.Millisecond),
			Aim: "≤ 3 ms"},
			"| f | 2.00 ms | DuckDB 1: 2,660 ms | 1,330 | ≤ 3 ms |"},
		{Row{Figure: "f", Vitrine: Value{Rate, 3664, "p99 59 ms"}, Reference: "silent",
			Than: Value{Unit: Rate, N: 7328}},
			"| f | 3,664/s, p99 59 ms | silent: 7,328/s | 0.50 |  |"},
		{Row{Figure: "f", Vitrine: Value{Unit: Bytes, N: 23.44}}, "| f | 23.4 B |  |  |  |"},
		{Row{Figure: "f", Vitrine: Value{Unit: Memory, N: 30 << 20}, Reference: "nginx: not installed"},
			"| f | 30.0 MiB | nginx: not installed |  |  |"},
	} {
		if got := c.row.String(); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}
