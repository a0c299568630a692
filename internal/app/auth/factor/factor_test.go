package factor_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/auth/factor"
)

// TestCodes checks the values of RFC 6238, appendix B, cut to six digits.
func TestCodes(t *testing.T) {
	secret := factor.Secret("12345678901234567890")
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471",
		1234567890: "005924", 2000000000: "279037", 20000000000: "353130"} {
		if got := secret.Code(factor.Step(time.Unix(at, 0))); got != want {
			t.Errorf("code at %d = %s, want %s", at, got, want)
		}
	}
}

// TestMatch checks that a code works in its period and its neighbours, however
// it is typed, once, and that none before it works afterwards.
func TestMatch(t *testing.T) {
	secret, now := factor.NewSecret(), time.Unix(1_800_000_000, 0)
	here := factor.Step(now)
	for step := here - 3; step <= here+3; step++ {
		code := secret.Code(step)
		got, ok := secret.Match(" "+code[:3]+" "+code[3:]+" ", now, 0)
		if near := step >= here-1 && step <= here+1; ok != near || ok && got != step {
			t.Errorf("%d periods off: %d, %t", step-here, got-here, ok)
		}
		for last := here - 2; last <= here+2; last++ {
			if _, ok := secret.Match(code, now, last); ok && step <= last {
				t.Errorf("%d periods off, after one at %d: accepted", step-here, last-here)
			}
		}
	}
	for _, typed := range []string{"", "000", secret.Code(here) + "0", strings.Repeat("1", 5000)} {
		if _, ok := secret.Match(typed, now, 0); ok {
			t.Errorf("%.20q was accepted", typed)
		}
	}
}

// TestAddress checks what an app reads from the QR code.
func TestAddress(t *testing.T) {
	secret := factor.Secret("12345678901234567890")
	u, err := url.Parse(secret.Address("share.example", "ann+x@example.org"))
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/share.example:ann+x@example.org" ||
		u.Query().Get("secret") != "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" || u.Query().Get("issuer") != "share.example" {
		t.Errorf("address = %v, %v", u, err)
	}
	if text := secret.Text(); text != "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ" {
		t.Errorf("text = %s", text)
	}
}

// TestRecoveryCodes checks that each works once, however it is typed, that new
// ones replace them, and that only hashes are stored.
func TestRecoveryCodes(t *testing.T) {
	var s factor.State
	old := s.NewCodes()
	codes := s.NewCodes()
	if slices.Sort(codes); len(slices.Compact(codes)) != factor.Codes {
		t.Errorf("codes = %q", codes)
	}
	for i, c := range codes {
		if strings.Contains(string(s.Stored()), c) || strings.Contains(string(s.Stored()), strings.ReplaceAll(c, "-", "")) {
			t.Errorf("%s is stored", s.Stored())
		}
		s, err := factor.Parse(s.Stored())
		if err != nil || !s.UseCode(" "+strings.ToLower(strings.ReplaceAll(c, "-", " "))) || s.UseCode(c) ||
			len(s.Codes) != factor.Codes-1 || s.UseCode(old[i]) || s.UseCode("") {
			t.Errorf("code %d: %v, %d left", i, err, len(s.Codes))
		}
	}
}
