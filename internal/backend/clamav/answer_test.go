package clamav

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"vitrine"
)

func TestVerdict(t *testing.T) {
	malware := func(s string) vitrine.Verdict {
		return vitrine.Verdict{Result: vitrine.ScanMalware, Signature: s}
	}
	suspicious := func(s string) vitrine.Verdict {
		return vitrine.Verdict{Result: vitrine.ScanSuspicious, Signature: s}
	}
	for in, want := range map[string]vitrine.Verdict{
		"stream: OK":                                     {Result: vitrine.ScanClean},
		"stream: Win.Test.EICAR_HDB-1 FOUND":             malware("Win.Test.EICAR_HDB-1"),
		"stream: A.UNOFFICIAL FOUND":                     malware("A.UNOFFICIAL"),
		"stream: A(0123456789abcdef:68) FOUND":           malware("A(0123456789abcdef:68)"),
		"stream: \x1b[31mRed\x07\x00\u202e FOUND":        malware("[31mRed"),
		"stream: " + strings.Repeat("é", 150) + " FOUND": malware(strings.Repeat("é", 100)),
		"stream: OK FOUND":                               malware("OK"),
		"stream: Heuristics.Encrypted.Zip FOUND":         suspicious("Heuristics.Encrypted.Zip"),
		"stream: Heuristics.OLE2.ContainsMacros FOUND":   suspicious("Heuristics.OLE2.ContainsMacros"),
		"stream: Heuristics.LimitsNot FOUND":             suspicious("Heuristics.LimitsNot"),
		"stream: PUA.Win.Packer.Upx-1 FOUND":             suspicious("PUA.Win.Packer.Upx-1"),
	} {
		if got, err := verdict(in); err != nil || got != want {
			t.Errorf("verdict(%q) = %+v, %v, want %+v", in, got, err, want)
		}
	}
	for in, limit := range map[string]bool{
		"INSTREAM size limit exceeded. ERROR":                   true,
		"stream: Heuristics.Limits.Exceeded.MaxRecursion FOUND": true,
		"stream: Heuristics.Limits.Exceeded.MaxScanTime FOUND":  true,
		"stream: Heuristics.Limits.Exceeded FOUND":              true,
		"stream: Heuristics.Limits.Exceeded.Max\nstream: OK":    false,
		"":                                    false,
		"OK":                                  false,
		"stream: ok":                          false,
		"stream: OK ":                         false,
		" stream: OK":                         false,
		"stream: OK\n":                        false,
		"stream: OK\x00":                      false,
		"stream:OK":                           false,
		"stream: OK\nstream: X FOUND":         false,
		"stream: X FOUND\nstream: OK":         false,
		"stream: X\nY FOUND":                  false,
		"stream:  FOUND":                      false,
		"stream: FOUND":                       false,
		"stream: \x01 FOUND":                  false,
		"stream: (null) FOUND":                false,
		"X FOUND":                             false,
		"/tmp/x: OK":                          false,
		"stream: Can't allocate memory ERROR": false,
		"INSTREAM: Can't write to temporary file. ERROR": false,
		"INSTREAM size limit exceeded. ERROR ":           false,
		"UNKNOWN COMMAND":                                false,
		"COMMAND READ TIMED OUT":                         false,
		"PONG":                                           false,
		"\xff\xfe\x00\x01":                               false,
	} {
		got, err := verdict(in)
		if err == nil || got != (vitrine.Verdict{}) || errors.Is(err, vitrine.ErrScanLimit) != limit {
			t.Errorf("verdict(%q) = %+v, %v, want an error, of a limit: %v", in, got, err, limit)
		}
	}
}

// FuzzVerdict checks that only clamd's exact answer counts as clean, and that
// texts for logs and pages are printable.
func FuzzVerdict(f *testing.F) {
	for _, s := range []string{"stream: OK", "stream: A FOUND", "stream: Heuristics.Limits.Exceeded.MaxFiles FOUND",
		"stream: PUA.A FOUND", tooLong, "stream: \xff FOUND", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := verdict(s)
		if err != nil {
			if v != (vitrine.Verdict{}) || len(err.Error()) > 4*maxSignature+200 || !shown(err.Error()) {
				t.Fatalf("verdict(%q) = %+v, error %q", s, v, err)
			}
			return
		}
		switch v.Result {
		case vitrine.ScanClean:
			if s != "stream: OK" || v.Signature != "" {
				t.Fatalf("verdict(%q) = clean: %+v", s, v)
			}
		case vitrine.ScanMalware, vitrine.ScanSuspicious:
			if !strings.HasPrefix(s, "stream: ") || !strings.HasSuffix(s, " FOUND") || v.Signature == "" ||
				len(v.Signature) > maxSignature || !shown(v.Signature) {
				t.Fatalf("verdict(%q) = %+v", s, v)
			}
		default:
			t.Fatalf("verdict(%q) = %+v", s, v)
		}
	})
}

func shown(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func TestVersions(t *testing.T) {
	for _, c := range []struct{ older, newer version }{
		{"ClamAV 1.4.6", "ClamAV 1.4.6/27500/Sat"}, {"ClamAV 1.4.6/9999/Sat", "ClamAV 1.4.6/27500/Sat"},
		{"ClamAV 1.5.0/27499/Sat", "ClamAV 1.4.6/27500/Fri"}, {"ClamAV 1.4.6/27500/Sat", "ClamAV 1.5.0/27500/Fri"},
	} {
		if !c.older.before(c.newer) || c.newer.before(c.older) {
			t.Errorf("%q is not before %q", c.older, c.newer)
		}
	}
	if a, b := version("ClamAV 1.4.6/27500/Sat Nov 21 08:00:00 2026"), version("ClamAV 1.4.6/27500/Sat Nov 21 09:00:00 2026"); a.signatures() != "ClamAV 1.4.6/27500" || a.before(b) || b.before(a) {
		t.Errorf("%q and %q have different signatures, want the same", a, b)
	}
	for _, s := range []string{"", "ClamAV", "HTTP/1.1 400", "ClamAV 1\n", "ClamAV \x1b"} {
		if v, err := parseVersion(s); err == nil {
			t.Errorf("parseVersion(%q) = %q, want an error", s, v)
		}
	}
}
