package httpx_test

import (
	"testing"
	"time"

	"vitrine/internal/web/httpx"
)

func TestWait(t *testing.T) {
	for d, want := range map[time.Duration]string{1: "1 second", time.Second: "1 second",
		90 * time.Second: "90 seconds", 91 * time.Second: "2 minutes",
		59 * time.Minute: "59 minutes", 91 * time.Minute: "2 hours", 25 * time.Hour: "25 hours"} {
		if got := httpx.Wait(d); got != want {
			t.Errorf("Wait(%v) = %q, want %q", d, got, want)
		}
	}
}
