package clamav

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine"
)

const (
	clean        = "stream: OK"
	tooLong      = "INSTREAM size limit exceeded. ERROR"
	limitPrefix  = "Heuristics.Limits.Exceeded"
	maxSignature = 200 // bytes
)

// verdict parses clamd's answer to a stream, without its number and its end.
// Any text that is not exactly one of clamd's answers is an error.
func verdict(answer string) (vitrine.Verdict, error) {
	if answer == clean {
		return vitrine.Verdict{Result: vitrine.ScanClean}, nil
	}
	if answer == tooLong {
		return vitrine.Verdict{}, fmt.Errorf("%w: the file is longer than StreamMaxLength in clamd.conf",
			vitrine.ErrScanLimit)
	}
	name, ok := signatureName(answer)
	if !ok {
		return vitrine.Verdict{}, fmt.Errorf("clamd did not scan the file: %s", excerpt(answer))
	}
	switch {
	case strings.HasPrefix(name, limitPrefix):
		return vitrine.Verdict{}, fmt.Errorf("%w: %s", vitrine.ErrScanLimit, printable(name))
	case strings.HasPrefix(name, "Heuristics."), strings.HasPrefix(name, "PUA."):
		return vitrine.Verdict{Result: vitrine.ScanSuspicious, Signature: printable(name)}, nil
	}
	return vitrine.Verdict{Result: vitrine.ScanMalware, Signature: printable(name)}, nil
}

// signatureName returns the name of the signature in an answer of clamd. ok is
// false if the answer names none.
func signatureName(answer string) (name string, ok bool) {
	name, begins := strings.CutPrefix(answer, "stream: ")
	name, ends := strings.CutSuffix(name, " FOUND")
	// Older versions write "(null)" for a limit that was exceeded. More than
	// one line means more than one answer.
	ok = begins && ends && name != "(null)" && !strings.ContainsAny(name, "\r\n") && printable(name) != ""
	return name, ok
}

// printable removes unprintable characters from a text and cuts it to the
// longest name of a signature.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	if len(s) > maxSignature {
		n := maxSignature
		for !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.TrimSpace(s)
}

// excerpt returns the beginning of an answer for an error, without characters
// that could confuse a log.
func excerpt(answer string) string {
	if answer == "" {
		return "its answer is empty"
	}
	return fmt.Sprintf("it answered %q", printable(answer))
}

// version is the answer to VERSION: "ClamAV 1.4.6/27500/Sat Nov 21 08:00:00
// 2026", or "ClamAV 1.4.6" without a daily database.
type version string

var errNotClamd = errors.New("this is not clamd")

func parseVersion(answer string) (version, error) {
	if !strings.HasPrefix(answer, "ClamAV ") || answer != printable(answer) {
		return "", fmt.Errorf("%w: the answer to VERSION was %s", errNotClamd, excerpt(answer))
	}
	return version(answer), nil
}
