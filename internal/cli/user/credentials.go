package user

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"vitrine/internal/base/notation"
	"vitrine/internal/cli/terminal"
)

// credential is the login at one server. It is stored in a file that only the
// user can read.
type credential struct {
	Server string `json:"server"`
	Email  string `json:"email"`
	Name   string `json:"name"` // name of the key
	APIKey string `json:"apiKey"`
}

// logins is the directory with the stored logins. It has one file for each
// server, and one with the address of the server of the last login.
type logins struct{ dir string }

func openLogins() (logins, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return logins{}, fmt.Errorf("there is no directory for settings: %w", err)
	}
	return logins{filepath.Join(dir, "vitrine")}, nil
}

// normalServer returns the normalized address of a server: without a trailing
// slash and without /api/v1. Logins are stored under it.
func normalServer(address string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		if meant := withScheme(address); meant != "" {
			return "", terminal.Usage(fmt.Sprintf("the address of the server is incomplete: write %s instead of %s",
				meant, address))
		}
		return "", terminal.Usage(fmt.Sprintf("%q is not the address of an instance, such as https://share.example",
			address))
	}
	host, err := notation.Host(u)
	if err != nil {
		return "", terminal.Usage("the address of the server: " + err.Error())
	}
	path := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/api/v1"), "/")
	return u.Scheme + "://" + host + path, nil
}

// withScheme completes an address without a scheme. For other addresses it
// returns "".
func withScheme(address string) string {
	u, err := url.Parse("https://" + strings.TrimSpace(address))
	if err != nil || strings.Contains(address, "://") || !strings.ContainsAny(u.Host, ".:") && u.Host != "localhost" {
		return ""
	}
	if host := u.Hostname(); host == "localhost" || net.ParseIP(host) != nil {
		u.Scheme = "http"
	}
	return u.Scheme + "://" + u.Host
}

func (c logins) File(server string) string {
	return filepath.Join(c.dir, "servers", url.QueryEscape(server)+".json")
}

func (c logins) lastFile() string { return filepath.Join(c.dir, "server") }

// Last returns the server of the last login, or "" if there is none.
func (c logins) Last() (string, error) {
	b, err := os.ReadFile(c.lastFile())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}

// ErrDamaged is the error of a stored login that cannot be read.
var ErrDamaged = errors.New("is damaged: log in again")

// Load returns the credential for a server, or nil if there is none.
func (c logins) Load(server string) (*credential, error) {
	b, err := os.ReadFile(c.File(server))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var v credential
	if err := json.Unmarshal(b, &v); err != nil || v.Server != server {
		return nil, fmt.Errorf("%s %w", c.File(server), ErrDamaged)
	}
	return &v, nil
}

// Save stores the credential of a server and makes that server the last one.
func (c logins) Save(v credential) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := writePrivate(c.File(v.Server), append(b, '\n')); err != nil {
		return err
	}
	return writePrivate(c.lastFile(), []byte(v.Server+"\n"))
}

// Remove deletes the credential of a server.
func (c logins) Remove(server string) error {
	last, err := c.Last()
	if err == nil && last == server {
		err = os.Remove(c.lastFile())
	}
	return errors.Join(err, os.Remove(c.File(server)))
}

// writePrivate replaces a file atomically. Only the user can read the new file.
func writePrivate(path string, b []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // has mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
