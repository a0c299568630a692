package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/client"
	"vitrine/internal/test/vitrinetest"
)

// TestCities checks that a server without a city file says so. It then uses a
// file that is downloaded while it runs, and views have the cities of the
// addresses that its proxy reports.
func TestCities(t *testing.T) {
	t.Parallel()
	real, err := os.ReadFile(vitrinetest.CityFile(t))
	if err != nil {
		t.Fatal(err)
	}
	k := &killed{t: t, data: filepath.Join(t.TempDir(), "data"),
		settings: []string{"VITRINE_TRUSTED_PROXY=127.0.0.1,::1"}}
	k.key = lastWord(k.run("admin", "account", "create", "owner@example.org"))
	cmd, url, output := k.start()
	if url == "" {
		t.Fatal(output.drain())
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if err := k.upload(url, 1); err != nil {
		t.Fatal(err)
	}
	slug := k.links[0]
	open := func(addresses ...string) {
		t.Helper()
		for _, a := range addresses {
			if body, status := k.fetch(url+"/p/"+slug, "X-Forwarded-For", a); status != http.StatusOK {
				t.Fatalf("page for %s: status %d: %s", a, status, body)
			}
		}
	}
	cookie := signInAt(t, url, k.run("admin", "account", "sign-in", "owner@example.org"))
	page := func() string {
		t.Helper()
		body, status := k.fetch(url+"/links/"+slug+"/analytics", "Cookie", cookie)
		if status != http.StatusOK {
			t.Fatalf("report: status %d: %s", status, body)
		}
		return body
	}
	open("81.2.69.142")
	const none, by = "this instance has no city file",
		`<a href="https://db-ip.com" rel="noreferrer">IP geolocation by DB-IP</a>`
	if p := page(); !strings.Contains(p, none) || strings.Contains(p, by) {
		t.Errorf("report page without a city file: %s", p)
	}

	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	_, _ = w.Write(real)
	_ = w.Close()
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(packed.Bytes())
	}))
	defer mirror.Close()
	if out, err := vitrineOn(k.data, "admin", "cities", "--from", mirror.URL); err != nil ||
		!strings.Contains(out, "cities.mmdb: city ipv4 of ") {
		t.Fatalf("admin cities: %v: %s", err, out)
	}
	if text, ok := output.wait(`city file loaded`); !ok {
		t.Fatal(text)
	}
	open("81.2.69.142", "81.2.69.143", "6.6.6.6, 85.214.132.117", "2001:4860:4860::8888", "192.168.1.1", "nonsense")
	c, err := client.New(url, k.key)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.LinkAnalytics(t.Context(), slug, client.ReportQuery{Range: "7d"})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(counts(r.Breakdowns["cities"]), counts(r.Breakdowns["countries"]), r.Totals.Views)
	if want := "[London, GB 2 Berlin, DE 1] [GB 3 DE 1 US 1] 7"; got != want {
		t.Errorf("countries and cities = %s, want %s", got, want)
	}
	if p := page(); !strings.Contains(p, ">London<") || !strings.Contains(p, ">Berlin<") || strings.Contains(p, none) {
		t.Errorf("report page with a city file: %s", p)
	}

	// Pages with cities name the file's maker.
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if cmd, url, output = k.start("VITRINE_GEO=" + vitrinetest.CityFile(t)); url == "" {
		t.Fatal(output.drain())
	}
	if p := page(); !strings.Contains(p, by) {
		t.Errorf("the page does not name the maker of the city file: %s", p)
	}
	open("81.2.69.142")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if text := output.drain(); strings.Contains(text, "81.2.69") || strings.Contains(text, "85.214") {
		t.Errorf("the log contains an address: %s", text)
	}
}

// counts returns buckets as text.
func counts(buckets []client.Bucket) (all []string) {
	for _, b := range buckets {
		all = append(all, fmt.Sprint(b.Key, " ", b.Count))
	}
	return all
}

func lastWord(s string) string {
	w := strings.Fields(s)
	return w[len(w)-1]
}

// fetch requests a page like a person's browser, with a header.
func (k *killed) fetch(address, name, value string) (body string, status int) {
	k.t.Helper()
	req, err := http.NewRequestWithContext(k.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	req.Header.Set("User-Agent", person)
	req.Header.Set(name, value)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		k.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		k.t.Fatal(err)
	}
	return string(b), res.StatusCode
}

// TestCityFileRefused checks that the server does not start with an invalid
// city file, and that the old file stays if no other can be downloaded.
func TestCityFileRefused(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	if out, err := vitrineOn(data, "admin", "account", "create", "owner@example.org"); err != nil {
		t.Fatal(out)
	}
	file := filepath.Join(t.TempDir(), "any.mmdb")
	whole := vitrinetest.MMDB("DBIP-City-Lite", map[string]any{"81.2.69.0/24": vitrinetest.CityRecord("GB", "London")})
	refused := func(want string, args ...string) {
		t.Helper()
		out, err := vitrineOn(data, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
		if err == nil || !strings.Contains(out, want) || strings.Contains(out, "panic") {
			t.Errorf("serve = %v: %s, want an error with %q", want, err, out)
		}
		if args[0] == "--geo" {
			output, healthy := diagnosis(t, data, "--geo", args[1])
			if healthy || !strings.Contains(output, "wrong    cities: "+args[1]) {
				t.Errorf("doctor with %q: healthy = %v: %s", want, healthy, output)
			}
		}
	}
	refused("no such file", "--geo", file)
	for want, b := range map[string][]byte{
		"cut off or damaged": whole[:len(whole)-3], "or is not an .mmdb file": []byte("garbage"),
		`its type is "DBIP-ASN-Lite"`: vitrinetest.MMDB("DBIP-ASN-Lite",
			map[string]any{"81.2.69.0/24": map[string]any{"autonomous_system_number": 1}}),
	} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(want, "--geo", file)
		if err := os.WriteFile(filepath.Join(data, "cities.mmdb"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(want, "--log-level", "warn")
	}
	if out, err := vitrineOn(data, "admin", "cities", "--from", "http://127.0.0.1:1"); err == nil ||
		!strings.Contains(out, "fetch http://127.0.0.1:1/dbip-city-lite-") {
		t.Errorf("admin cities from a closed port = %v: %s", err, out)
	}
	if out, err := vitrineOn(data+"/no", "admin", "cities"); err == nil ||
		!strings.Contains(out, "set --data to that of the instance") {
		t.Errorf("admin cities without an instance = %v: %s", err, out)
	}
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if output, _ := diagnosis(t, data, "--geo", file); !strings.Contains(output,
		"cities: "+file+" (DBIP-City-Lite) is of 2026-") {
		t.Error(output)
	}
}
