package vitrinetest_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"vitrine/internal/test/vitrinetest"
)

// ask sends one command to clamd and returns its whole answer.
func ask(t *testing.T, network, address, command string) string {
	t.Helper()
	c, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(command)); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(answer), "\x00")
}

func TestClamd(t *testing.T) {
	d := vitrinetest.Clamd(t)
	find := func(text string) string {
		return ask(t, "unix", d.Socket, "zINSTREAM\x00\x00\x00\x00"+string(rune(len(text)))+text+"\x00\x00\x00\x00")
	}
	if got := ask(t, "tcp", d.TCP, "zPING\x00"); got != "PONG" {
		t.Errorf("PING over TCP = %q, want PONG", got)
	}
	for text, want := range map[string]string{
		"nothing": "stream: OK", vitrinetest.ClamdMarker: "stream: Vitrine.Test.Marker.UNOFFICIAL FOUND",
		string(vitrinetest.EICAR()): "stream: Eicar-Test-Signature.UNOFFICIAL FOUND",
	} {
		if got := find(text); got != want {
			t.Errorf("scan = %q, want %q", got, want)
		}
	}
	d.Database(t, "daily.cud", vitrinetest.ClamdDaily(t, 27500,
		vitrinetest.ClamdSignature("Daily.Test", "another marker")))
	d.Reload(t)
	if got := find("another marker"); got != "stream: Daily.Test.UNOFFICIAL FOUND" {
		t.Errorf("scan after a reload = %q, want \"stream: Daily.Test.UNOFFICIAL FOUND\"", got)
	}
	if got := ask(t, "unix", d.Socket, "zVERSION\x00"); !strings.Contains(got, "/27500/") {
		t.Errorf("VERSION = %q", got)
	}
	d.Kill(t)
	if _, err := net.Dial("unix", d.Socket); err == nil {
		t.Error("clamd listens after Kill")
	}
	d.Start(t)
	if got := ask(t, "tcp", d.TCP, "zPING\x00"); got != "PONG" {
		t.Errorf("PING after the second start = %q, want PONG", got)
	}
}
