// Package password checks passwords that people choose and hashes them with
// argon2id (decision 0015).
package password

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/base/throttle"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// The bounds of a password, in characters.
const (
	MinLength = 10
	MaxLength = 200
)

// named are passwords that anybody tries as well: after this program, and what
// people choose who were told not to take a common one.
var named = []string{
	"vitrine123", "vitrine1234", "vitrinevitrine", "changeme123", "changemenow", "correcthorsebatterystaple",
	"letmein1234", "mypassword1", "p@ssw0rd123", "passw0rd123", "sunshine123", "trustno1trustno1", "welcome1234",
}

//go:embed vendor/passwords.txt.gz
var packed string

// common returns the passwords that most people have chosen, of those that are
// long enough: in lower case, sorted.
var common = sync.OnceValue(func() []string {
	z, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		panic(err) // the file is part of the program
	}
	text, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return strings.Fields(string(text))
})

func isCommon(folded string) bool {
	_, found := slices.BinarySearch(common(), folded)
	return found || slices.Contains(named, folded)
}

// Parse checks a new password of the account with an email address, and
// normalizes it (NFC) for hashing, so that the same characters match from every
// keyboard. Any character is allowed. Errors: CodeInvalidRequest.
func Parse(password, email string) (string, error) {
	refuse := func(message string) (string, error) {
		return "", &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "password", Message: message}
	}
	if !utf8.ValidString(password) || len(password) > 8*MaxLength {
		return refuse("Choose a password of at most 200 characters.")
	}
	password = norm.NFC.String(password)
	folded := strings.ToLower(password)
	switch n := utf8.RuneCountInString(password); {
	case n < MinLength:
		return refuse("Choose a password of at least 10 characters. A few words are easy to remember.")
	case n > MaxLength:
		return refuse("Choose a password of at most 200 characters.")
	case folded == strings.ToLower(strings.TrimSpace(email)):
		return refuse("Choose a password that is not your e-mail address.")
	case isCommon(folded) || fewCharacters(password):
		return refuse("This password is too common. Choose another.")
	}
	return password, nil
}

// fewCharacters reports whether a password repeats three characters or less.
func fewCharacters(s string) bool {
	seen := map[rune]bool{}
	for _, r := range s {
		seen[r] = true
	}
	return len(seen) <= 3
}

// hashing is the cost of a hash.
type hashing struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
}

// The cost of a hash: the least that OWASP recommends for argon2id.
const (
	Memory = 19 * 1024 // KiB
	Passes = 2
)

var usual = hashing{memory: Memory, passes: Passes, lanes: 1}

// SetCost sets the memory in KiB and the passes of new hashes, and returns a
// function that sets them back. It is for tests, which make many hashes.
func SetCost(memory, passes uint32) (back func()) {
	before := usual
	set := func(h hashing) {
		usual = h
		noPassword = h.format(make([]byte, saltSize), make([]byte, hashSize))
	}
	set(hashing{memory: memory, passes: passes, lanes: 1})
	return func() { set(before) }
}

const (
	saltSize = 16
	hashSize = 32
	// hashWait is how long a hash waits for its turn.
	hashWait = 10 * time.Second
)

// Line is where a hash waits for its turn. Turns go to all lines in rotation.
type Line struct {
	known bool
	of    string
}

// Stranger returns the line of a network, for whom nothing is known about.
func Stranger(network netip.Prefix) Line { return Line{of: network.String()} }

// Known returns the line of a client that has a session, a one-time token or a
// browser that signed in before. Known lines have a turn of their own: they do
// not wait for strangers.
func Known(email string) Line { return Line{known: true, of: email} }

// turns are the turns of strangers and of those who are known. They bound the
// hashes made at once in this process, and so the memory that a flood of
// sign-ins takes.
type turns struct{ strangers, known *throttle.Turns[Line] }

var hashTurns = sync.OnceValue(func() turns {
	return turns{throttle.NewTurns[Line](maxHashes()), throttle.NewTurns[Line](1)}
})

func maxHashes() int { return max(2, runtime.GOMAXPROCS(0)) }

// Acquire takes all turns of strangers, and returns a function that gives them
// back. It is for tests of what happens under load.
func Acquire() (release func()) {
	n, turns := maxHashes(), hashTurns().strangers
	for range n {
		_ = turns.Take(context.Background(), Line{})
	}
	return func() {
		for range n {
			turns.Release(Line{})
		}
	}
}

// inTurn waits for a turn to make a hash. Errors: CodeUnavailable when there is
// none for long.
func inTurn(ctx context.Context, line Line, f func()) error {
	ctx, cancel := context.WithTimeout(ctx, hashWait)
	defer cancel()
	turns := hashTurns().strangers
	if line.known {
		turns = hashTurns().known
	}
	if err := turns.Take(ctx, line); err != nil {
		return vitrine.Unavailable(err)
	}
	defer turns.Release(line)
	f()
	return nil
}

// Hash returns the hash of a password that Parse has accepted, as a PHC string.
func Hash(ctx context.Context, line Line, password string) (phc string, err error) {
	err = inTurn(ctx, line, func() {
		salt := make([]byte, saltSize)
		rand.Read(salt)
		phc = usual.format(salt, usual.sum(password, salt, hashSize))
	})
	return phc, err
}

func (h hashing) sum(password string, salt []byte, size uint32) []byte {
	return argon2.IDKey([]byte(password), salt, h.passes, h.memory, h.lanes, size)
}

var phc64 = base64.RawStdEncoding.Strict()

func (h hashing) format(salt, sum []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.passes, h.lanes,
		phc64.EncodeToString(salt), phc64.EncodeToString(sum))
}

// ParsePHC parses the format of format. It accepts any cost up to a safe
// maximum.
func ParsePHC(phc string) (h hashing, salt, sum []byte, ok bool) {
	f := strings.Split(phc, "$")
	if len(f) != 6 || f[0] != "" || f[1] != "argon2id" || f[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return h, nil, nil, false
	}
	if n, err := fmt.Sscanf(f[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); n != 3 || err != nil {
		return h, nil, nil, false
	}
	salt, err1 := phc64.DecodeString(f[4])
	sum, err2 := phc64.DecodeString(f[5])
	ok = err1 == nil && err2 == nil && len(salt) >= 8 && len(sum) >= 16 && len(sum) <= 128 &&
		h.memory >= 8 && h.memory <= 1<<20 && h.passes >= 1 && h.passes <= 20 && h.lanes >= 1
	return h, salt, sum, ok
}

// noPassword is checked if an account has no password or is unknown, so that an
// unknown address takes as long as a known one.
var noPassword = usual.format(make([]byte, saltSize), make([]byte, hashSize))

// Check reports whether a password is the one of a stored hash. No password
// fits the hash "", and checking it takes as long. stale reports that the hash
// was made at another cost than is usual now.
func Check(ctx context.Context, line Line, phc, password string) (ok, stale bool, err error) {
	h, salt, sum, known := ParsePHC(phc)
	if !known {
		h, salt, sum, _ = ParsePHC(noPassword)
	}
	if len(password) > 8*MaxLength {
		password = "" // nobody's
	}
	password = norm.NFC.String(password)
	err = inTurn(ctx, line, func() {
		ok = subtle.ConstantTimeCompare(h.sum(password, salt, uint32(len(sum))), sum) == 1 && known
	})
	return ok, h != usual, err
}
