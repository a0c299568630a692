package main

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBusyAddress checks that the doctor reports an address that another
// program uses, that a server then creates no directory, and that the address
// of the instance's own server is fine.
func TestBusyAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	busy := l.Addr().String()
	data := filepath.Join(t.TempDir(), "data")
	output, healthy := diagnosis(t, data, "--listen", busy)
	wantLines(t, output, "wrong    address: "+busy+" is already in use")
	if healthy {
		t.Errorf("the doctor finds nothing wrong with an address in use: %s", output)
	}
	if output, err = vitrineOn(data, "serve", "--listen", busy); err == nil || !strings.Contains(output, "already in use") {
		t.Errorf("serve on an address in use: %v, %s", err, output)
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("serve left its directory: %v", err)
	}

	k := &killed{t: t, data: data}
	k.run("admin", "account", "create", "owner@example.org")
	url, kill := k.serve()
	defer kill()
	output, healthy = diagnosis(t, data, "--listen", "127.0.0.1"+url[strings.LastIndexByte(url, ':'):])
	if !healthy || strings.Contains(output, "in use") {
		t.Errorf("the doctor of a running server: healthy = %v: %s", healthy, output)
	}
}

// TestMisspeltVariable checks that the doctor names variables that nothing
// reads.
func TestMisspeltVariable(t *testing.T) {
	for name, value := range map[string]string{"VITRINE_PUBLIC_ULR": "https://share.example", "VITRINE_NOSUCH": "1",
		"VITRINE_SERVICE_HOST": "10.0.0.1", "VITRINE_API_KEY": "key"} {
		t.Setenv(name, value)
	}
	output, healthy := diagnosis(t, filepath.Join(t.TempDir(), "data"))
	wantLines(t, output,
		"warning  environment: VITRINE_PUBLIC_ULR is set, but it is not a setting of Vitrine. Did you mean VITRINE_PUBLIC_URL?",
		"warning  environment: VITRINE_NOSUCH is set, but it is not a setting of Vitrine. Correct or remove it.")
	if !healthy || strings.Count(output, "environment: ") != 2 {
		t.Errorf("healthy = %v, want two warnings about the environment: %s", healthy, output)
	}
}
